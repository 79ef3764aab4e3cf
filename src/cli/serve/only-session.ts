import type { FetchHandler } from '../../node/node-handler.ts'

/** The id of the only session of a server, which is the last part of its address. */
export const SESSION_ID = 'session'

/** Answers for the events of the only session, and for nothing else. */
export function onlySession(hub: FetchHandler): FetchHandler {
  return {
    fetch: async (request) => {
      const [, , ...path] = new URL(request.url).pathname.split('/')
      return path.join('/') === `events/${SESSION_ID}`
        ? hub.fetch(request)
        : new Response(null, { status: 404 })
    },
  }
}

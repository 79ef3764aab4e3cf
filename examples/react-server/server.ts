import { createSessionHub } from 'agentfold/hub'
import { followSession, nodeHandler } from 'agentfold/node'

const hub = createSessionHub()

/** Answers `/session` with a snapshot and then each event. It is a listener for `createServer` of `node:http`. */
export const handle = nodeHandler(hub)

/** Sends the session of a file to every page, while the file grows. */
export async function show(path: string, signal?: AbortSignal): Promise<void> {
  for await (const update of followSession(path, signal && { signal })) await hub.publish('session', update)
}

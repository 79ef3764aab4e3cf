import type { IncomingMessage, ServerResponse } from 'node:http'
import { createSessionStore, type SessionStore } from 'agentfold'
import { toUIMessages, type UIMessageUpdate, uiMessageSink } from 'agentfold/ai-sdk'

/** The session. Dispatch its events here. It has a new state every 100 ms at most. */
export const store: SessionStore = createSessionStore({ schedule: (work) => setTimeout(work, 100) })

/** Answers `/messages` with the messages, and `/api/chat/<id>/stream` with the answer that the model writes now. */
export function handle({ url }: IncomingMessage, response: ServerResponse): void {
  if (url === '/messages') return void response.end(JSON.stringify(toUIMessages(store.flush())))
  let { memory, out } = uiMessageSink.translate(uiMessageSink.initial, store.flush())
  const { openId } = memory
  const write = (updates: readonly UIMessageUpdate[]) => {
    for (const update of updates)
      if (update.type === 'chunk' && update.messageId === openId)
        response.write(`data: ${JSON.stringify(update.chunk)}\n\n`)
  }
  write(out)
  if (openId === undefined) response.statusCode = 204 // without an answer, the page waits for any change
  const end = store.subscribe(() => {
    ;({ memory, out } = uiMessageSink.translate(memory, store.getState()))
    const other = out.findIndex(
      (update) => update.type !== 'chunk' || update.messageId !== openId || update.chunk.type === 'start',
    )
    write(other < 0 ? out : out.slice(0, other))
    if (other >= 0 || memory.openId !== openId) response.end() // the page loads the messages again
  })
  response.on('close', end)
}

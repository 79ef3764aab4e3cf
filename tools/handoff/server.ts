import type { JsonObject } from '../../src/core/json/values.ts'
import type { WireCall } from '../record/server/dialect.ts'
import { type Listening, listen, sendJson } from '../record/server/listen.ts'

/** A model on loopback that answers every request with one text or a call, and keeps what it was asked. */
export interface ListeningModel extends Listening {
  readonly requests: readonly JsonObject[]
  /** Answers the next request for a conversation that has the prompt with a call. */
  readonly callAt: (prompt: string, call: Omit<WireCall, 'id'>) => void
}

/** The text that the model answers. */
export const ANSWER = 'Continued.'

const NO_TOKENS = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 }

/** Starts the model. It speaks all dialects. */
export async function startListeningModel(): Promise<ListeningModel> {
  const requests: JsonObject[] = []
  const calls = new Map<string, Omit<WireCall, 'id'>>()
  const server = await listen(({ dialect, body, asked: { model, streams } }, response) => {
    requests.push(body)
    const id = `r${requests.length}`
    const called = [...calls].filter(
      ([prompt]) => isConversation(body) && JSON.stringify(body).includes(prompt),
    )
    for (const [prompt] of called) calls.delete(prompt)
    const own = called.map(([, call], at) => ({ id: `call_${id}_${at}`, ...call }))
    const reply = { id, model, say: ANSWER, calls: own, tokens: NO_TOKENS }
    if (!streams) return sendJson(response, 200, dialect.whole(reply))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const { frame } of dialect.stream(reply)) response.write(frame)
    response.end()
  })
  const callAt: ListeningModel['callAt'] = (prompt, call) => calls.set(prompt, call)
  return { ...server, requests, callAt }
}

/** Whether a request is for a conversation. Those for a title offer no tools. */
export function isConversation({ tools }: JsonObject): boolean {
  return Array.isArray(tools) && tools.length > 0
}

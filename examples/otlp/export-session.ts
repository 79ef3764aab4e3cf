import { followSession } from 'agentfold/node'
import { spanSink, tracesOf } from 'agentfold/otel'

/** Sends the spans of a session to an OTLP endpoint while it grows, and the last ones when the signal aborts. */
export async function exportSession(path: string, endpoint: string, signal: AbortSignal): Promise<number> {
  const sink = spanSink()
  let { initial: memory } = sink
  let count = 0
  const send = async (...[state, spans]: Parameters<typeof tracesOf>): Promise<void> => {
    if (spans.length === 0) return
    const body = JSON.stringify(tracesOf(state, spans))
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    if (!response.ok) throw new Error(`${endpoint} answers ${response.status}`)
    count += spans.length
  }
  let last: Parameters<typeof tracesOf>[0] | undefined
  for await (const { state } of followSession(path, { signal })) {
    const step = sink.translate(memory, state)
    await send(state, step.out)
    memory = step.memory
    last = state
  }
  if (last) await send(last, sink.end(memory, last).out)
  return count
}

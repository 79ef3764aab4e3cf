import type { AcpContext } from '../context.ts'
import { endAgent } from './run.ts'

/** Reads the report of an agent in the background, which an agent's program sends to its own model. */
export function readNotification(text: string, context: AcpContext): void {
  const tag = (name: string) => textIn(name, text)
  const id = tag('tool-use-id') ?? context.agentOf(tag('task-id') ?? '')?.id
  const agent = id === undefined ? undefined : context.agent(id)
  if (!agent || agent.run === 'ended') return
  const status = tag('status') === 'completed' ? 'completed' : 'error'
  endAgent(agent.id, { status, output: tag('result') }, context)
}

/** Returns the text in the first element of a name. A regular expression would search the end again for each beginning. */
function textIn(name: string, text: string): string | undefined {
  const [begin, end] = [`<${name}>`, `</${name}>`]
  const start = text.indexOf(begin)
  const stop = start < 0 ? -1 : text.indexOf(end, start)
  return stop < 0 ? undefined : text.slice(start + begin.length, stop)
}

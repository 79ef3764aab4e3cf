import type { AcpContext } from '../context.ts'
import { endAgent } from './run.ts'

/** Reads the report of an agent in the background, which an agent's program sends to its own model. */
export function readNotification(text: string, context: AcpContext): void {
  const tag = (name: string) => new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(text)?.[1]
  const id = tag('tool-use-id') ?? context.agentOf(tag('task-id') ?? '')?.id
  const agent = id === undefined ? undefined : context.agent(id)
  if (!agent || agent.run === 'ended') return
  const status = tag('status') === 'completed' ? 'completed' : 'error'
  endAgent(agent.id, { status, output: tag('result') }, context)
}

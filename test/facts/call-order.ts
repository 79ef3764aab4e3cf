import type { SubagentBlock, ToolUseBlock } from '../../src/core/state/block.ts'
import type { FactAgent, FactCall, FactItem } from './facts.ts'

/**
 * Returns the facts of an agent with the calls of each reply in the order in which a form shows them: calls that run at once may start in another order than
 * the model made them. `calls` are the agent's blocks, in order.
 */
export function withShownOrder(
  agent: FactAgent,
  calls: readonly (ToolUseBlock | SubagentBlock)[],
  isSameCall: (call: FactCall, block: ToolUseBlock) => boolean,
): FactAgent {
  const { items } = agent
  const order = items.map((_, at) => at)
  let next = 0
  for (let at = 0; at < items.length; ) {
    const run = runAt(items, at)
    const places = run.map((item) =>
      calls.findIndex(
        (block, place) => place >= next && block.type === 'tool_use' && isSameCall(item, block),
      ),
    )
    const shown = Array.from(run.keys()).sort((left, right) => (places[left] ?? 0) - (places[right] ?? 0))
    order.splice(at, run.length, ...shown.map((from) => at + from))
    next = Math.max(next, ...places.map((place) => place + 1))
    at += Math.max(run.length, 1)
  }
  const moved = order.flatMap((from) => items[from] ?? [])
  return {
    ...agent,
    items: moved.map((item) => (item.type === 'result' ? { ...item, call: order.indexOf(item.call) } : item)),
  }
}

/** Returns the calls from a place on that follow each other and start no agent. */
function runAt(items: readonly FactItem[], at: number): readonly FactCall[] {
  const rest = items.slice(at)
  const end = rest.findIndex((item, place) => item.type !== 'call' || rest[place + 1]?.type === 'agent')
  return rest.slice(0, end < 0 ? rest.length : end).filter((item) => item.type === 'call')
}

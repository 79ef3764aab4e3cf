import type { SubagentBlock, ToolUseBlock } from '../../src/index.ts'
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
  let shown = 0
  for (let at = 0; at < items.length; ) {
    const { length } = runAt(items, at)
    for (let place = at; place < at + length; place += 1) {
      const block = calls[shown + place - at]
      const isShown = (from: number | undefined) => {
        const item = items[from ?? -1]
        return item?.type === 'call' && block?.type === 'tool_use' && isSameCall(item, block)
      }
      const found = order.findIndex((from, to) => to >= place && to < at + length && isShown(from))
      if (found >= 0) order.splice(place, 0, ...order.splice(found, 1))
    }
    shown += Math.max(length, items[at]?.type === 'call' ? 1 : 0)
    at += Math.max(length, 1)
  }
  const moved = order.flatMap((from) => items[from] ?? [])
  return {
    ...agent,
    items: moved.map((item) => (item.type === 'result' ? { ...item, call: order.indexOf(item.call) } : item)),
  }
}

/** Returns the calls from a place on that follow each other and start no agent. */
function runAt(items: readonly FactItem[], at: number): readonly FactItem[] {
  const end = items.findIndex(
    (item, place) => place >= at && (item.type !== 'call' || items[place + 1]?.type === 'agent'),
  )
  return items.slice(at, end < 0 ? items.length : end)
}

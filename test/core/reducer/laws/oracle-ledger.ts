import type { MessageUsage, TokenUsage } from '../../../../src/core/state/session.ts'

// An entry of a result and the message that it is about are one entry, in either order.
export function addToLedger(ledger: MessageUsage[], entry: MessageUsage, conversationId: string): void {
  const message = entry.fromResult && ledger.findLast((each) => !each.fromResult && isMessageOf(each, entry))
  if (message) return completeEntry(ledger, message, entry)
  join(ledger, entry)
  if (entry.fromResult || conversationId === 'main') return
  const own = ledger.find(({ messageId }) => messageId === entry.messageId)
  if (!own || own.fromResult) return
  for (const result of ledger.filter((each) => each.fromResult && isMessageOf(own, each))) {
    const at = ledger.findIndex(({ messageId }) => messageId === own.messageId)
    completeEntry(ledger, ledger[at] ?? own, result)
    ledger.splice(ledger.indexOf(result), 1)
  }
}

function completeEntry(ledger: MessageUsage[], message: MessageUsage, result: MessageUsage): void {
  if (message.final || (result.outputTokens ?? 0) < (message.outputTokens ?? 0)) return
  if (result.unsplitTokens !== undefined) return
  const { messageId, model, fromResult, ...counts } = result
  ledger[ledger.indexOf(message)] = { ...message, ...counts }
}

function isMessageOf(message: TokenUsage, result: MessageUsage): boolean {
  const read = ({ inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 }: TokenUsage) =>
    inputTokens + cacheReadTokens + cacheWriteTokens
  const all = (each: TokenUsage) => read(each) + (each.outputTokens ?? 0) + (each.unsplitTokens ?? 0)
  if (result.unsplitTokens !== undefined)
    return result.final ? all(message) === all(result) : all(message) >= all(result)
  return read(message) + (message.unsplitTokens ?? 0) === read(result)
}

function join(usage: MessageUsage[], entry: MessageUsage): void {
  const at = usage.findIndex(({ messageId }) => messageId === entry.messageId)
  if (at < 0) usage.push(entry)
  else if (entry.final || !usage[at]?.final) usage[at] = entry
}

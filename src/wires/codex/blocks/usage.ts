import { omitUndefined } from '../../../json/omit-undefined.ts'
import { TOKEN_COUNTS, type TokenUsage } from '../../../state/session.ts'
import type { CodexContext } from '../context.ts'
import type { CodexEventOf } from '../events/event.ts'

/**
 * Reports the tokens of a reply. A report with no more tokens than the thread has had is a repeated one. The tokens belong to the last text
 * of the reply. A reply of calls alone has no text, so the tokens of the thread so far identify it.
 */
export function reportUsage(
  threadId: string,
  { total, last, sum }: CodexEventOf<'usage'>,
  context: CodexContext,
): void {
  const thread = context.factsOf(threadId)
  if (total <= thread.total) return
  const usage = last ?? combine(thread.sum ?? {}, sum ?? {}, (before, now) => Math.max(0, now - before))
  const all = sum ?? combine(thread.sum ?? {}, usage, (before, count) => before + count)
  // A full context window moves the total without a reply.
  if (TOKEN_COUNTS.every((name) => !usage[name])) return void context.updateThread(threadId, { total })
  context.updateThread(threadId, { total, sum: all, replyId: undefined })
  context.emit(
    omitUndefined({
      type: 'usage:reported',
      conversationId: context.conversationOf(threadId),
      messageId: thread.replyId ?? `${threadId}:${total}`,
      usage,
      final: true,
      model: thread.model,
    }),
  )
}

/** Combines the counts of two reports. A count that only the first one has stays. */
function combine(
  before: TokenUsage,
  now: TokenUsage,
  count: (before: number, now: number) => number,
): TokenUsage {
  const counts = TOKEN_COUNTS.flatMap((name) => {
    const value = now[name]
    return value === undefined ? [] : [[name, count(before[name] ?? 0, value)]]
  })
  return { ...before, ...Object.fromEntries(counts) }
}

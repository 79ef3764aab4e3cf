import type { UsageSum } from 'agentfold'

/** Tokens read and written; `~` where some figures are early snapshots. Undefined while nothing is known. */
export function tokensOf({ final, provisional }: UsageSum): string | undefined {
  if (final.messages + provisional.messages === 0) return undefined
  const sums = [final, provisional]
  const read = sums.flatMap((sum) => [sum.inputTokens, sum.cacheReadTokens, sum.cacheWriteTokens])
  const written = sums.map((sum) => sum.outputTokens)
  const mark = provisional.messages > 0 ? '~' : ''
  return `${mark}${total(read)} in, ${mark}${total(written)} out`
}

/** Unknown is not zero. */
function total(counts: readonly (number | undefined)[]): string {
  const known = counts.filter((count) => count !== undefined)
  return known.length === 0 ? '?' : SHORT.format(known.reduce((left, right) => left + right, 0))
}

const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** A duration in ms as seconds. */
export function secondsOf(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`
}

import type { UsageSum } from '../../core/selectors/usage.ts'

/** Returns the tokens in and out. `~` marks sums with provisional figures. Undefined without any message. */
export function tokensOf({ final, provisional }: UsageSum): string | undefined {
  if (final.messages + provisional.messages === 0) return undefined
  const sums = [final, provisional]
  const read = sums.flatMap((sum) => [sum.inputTokens, sum.cacheReadTokens, sum.cacheWriteTokens])
  const written = sums.map((sum) => sum.outputTokens)
  const mark = provisional.messages > 0 ? '~' : ''
  const unsplit = sums.flatMap((sum) => sum.unsplitTokens ?? [])
  const rest = unsplit.length === 0 ? '' : `, ${sumText(unsplit)} in or out`
  return `${mark}${sumText(read)} in, ${mark}${sumText(written)} out${rest}`
}

/** Returns the sum of the known counts, or `?` if none is known: unknown is not zero. */
function sumText(counts: readonly (number | undefined)[]): string {
  const known = counts.filter((count) => count !== undefined)
  return known.length === 0 ? '?' : shortCount(known.reduce((left, right) => left + right, 0))
}

/** Formats a count with at most one decimal, such as `31.2K`. */
export function shortCount(count: number): string {
  return SHORT.format(count)
}

const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

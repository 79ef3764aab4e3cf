export type { ExclusionKind, Side } from '../programs/coverage.ts'
export { compareSessions, type SessionComparison } from './compare.ts'
export type { DifferenceKind, SessionDifference } from './difference.ts'
export type { ExcludedContent } from './exclusion.ts'

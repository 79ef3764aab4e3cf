export type { ExclusionKind, Side } from '../programs/coverage.ts'
export { compareSessions, type SessionComparison } from './compare.ts'
export type { DifferenceKind, ExcludedContent, SessionDifference } from './comparison.ts'

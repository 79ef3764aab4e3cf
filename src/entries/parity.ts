export { compareSessions, type SessionComparison } from '../checks/parity/compare.ts'
export type { DifferenceKind, ExcludedContent, SessionDifference } from '../checks/parity/comparison.ts'
export type { ExclusionKind, Side } from '../programs/coverage.ts'

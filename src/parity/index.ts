export { compareSessions, type SessionComparison } from './compare.ts'
export type { DifferenceKind, SessionDifference, Side } from './difference.ts'
export type { Projected, ProjectionKind } from './projection.ts'

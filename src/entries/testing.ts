export { type CheckSinkOptions, checkSink } from '../checks/laws/check-sink.ts'
export { type CheckedSource, type CheckSourceOptions, checkSource } from '../checks/laws/check-source.ts'
export { type BatchFold, type Fold, sessionFold } from '../checks/laws/fold.ts'
export { checkJoin, type JoinedSession } from '../checks/laws/join/check-join.ts'
export { type LawCode, LawError, type LawFault } from '../checks/laws/law-error.ts'
export {
  expectIdempotent,
  expectPure,
  expectSameInBatches,
  expectStableReferences,
} from '../checks/laws/laws.ts'
export { SessionLogLawError } from '../checks/laws/log/law-steps.ts'
export { type SessionLogLaw, sessionLogLaws } from '../checks/laws/log/session-log-laws.ts'
export { type Replay, type ReplayStep, replay } from '../checks/laws/replay.ts'
export {
  type CallExpectation,
  type MatcherPlace,
  type MatcherResult,
  type SessionMatchers,
  sessionMatchers,
} from '../checks/laws/session-matchers.ts'
export { assertParity, ParityError } from '../checks/parity/compare.ts'

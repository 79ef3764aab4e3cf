export { type CheckSinkOptions, checkSink } from './check-sink.ts'
export { type CheckedSource, type CheckSourceOptions, checkSource } from './check-source.ts'
export { type BatchFold, type Fold, sessionFold } from './fold.ts'
export { checkJoin, type JoinedSession } from './join/check-join.ts'
export { type LawCode, LawError, type LawFault } from './law-error.ts'
export { expectIdempotent, expectPure, expectSameInBatches, expectStableReferences } from './laws.ts'
export { SessionLogLawError } from './log/law-steps.ts'
export { type SessionLogLaw, sessionLogLaws } from './log/session-log-laws.ts'
export { assertParity, ParityError } from './parity.ts'
export { type Replay, type ReplayStep, replay } from './replay.ts'
export {
  type CallExpectation,
  type MatcherPlace,
  type MatcherResult,
  type SessionMatchers,
  sessionMatchers,
} from './session-matchers.ts'

export type { Loss, LossKind } from '../sinks/plan/losses.ts'
export { UnknownAgentError, WriteError, type WriteErrorCode } from '../sinks/writers/target.ts'
export { writablePrograms } from '../sinks/writers/targets/all.ts'
export {
  stateAt,
  type WriteOptions,
  type WrittenSession,
  writeSession,
} from '../sinks/writers/write-session.ts'

export { sessionLog } from './orderly-log.ts'
export { incomingBlock, malformedEvent, sessionEvent, unrulyLog } from './unruly.ts'

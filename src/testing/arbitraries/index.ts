export { sessionLog } from './session-log.ts'
export { incomingBlock, malformedEvent, sessionEvent, unrulyLog } from './unruly.ts'

export { sessionLog } from '../checks/arbitraries/orderly-log.ts'
export { incomingBlock, malformedEvent, sessionEvent, unrulyLog } from '../checks/arbitraries/unruly.ts'

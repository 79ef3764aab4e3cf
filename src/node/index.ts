export { TranscriptError } from '../formats/combined.ts'
export { readSession } from './read/read-session.ts'
export type { SessionReading } from './read/session-fold.ts'

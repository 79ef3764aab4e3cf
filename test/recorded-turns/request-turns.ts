import { createHash } from 'node:crypto'
import type { RequestTurn, StoredTurn } from '../../src/recorded-turns/turn.ts'

export const agent: RequestTurn & StoredTurn = { role: 'agent' }
export const userTurn = (key: string, text = 'hi'): RequestTurn => ({
  role: 'user',
  text,
  audio: { kind: 'recorded', upload_key: key },
})
export const bytes = (...values: readonly number[]): Uint8Array<ArrayBuffer> => Uint8Array.from(values)
export const sha256 = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex')

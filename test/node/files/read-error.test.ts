import { describe, expect, it } from 'vitest'
import { TranscriptError } from '../../../src/entries/index.ts'
import { isMissing, overflowMessage, readError, wrapReadError } from '../../../src/node/files/read-error.ts'

const systemError = (code: string) => Object.assign(new Error(`${code}: from the system`), { code })

describe('readError', () => {
  it.each([
    [systemError('ENOENT'), 'no-such-file', 'no such file or folder'],
    [systemError('EACCES'), 'unreadable', 'no permission to read it'],
    [systemError('EIO'), 'unreadable', 'EIO: from the system'],
    [new RangeError('Invalid string length'), 'too-large', 'too large or nested too deep to read'],
    ['a text', 'unreadable', 'a text'],
  ] as const)('gives %s a code and a reason', (cause, code, message) => {
    expect(readError(cause)).toMatchObject({ code, message, cause })
    expect(readError(cause, 'a/b')).toMatchObject({ code, message: `a/b: ${message}`, path: 'a/b' })
  })

  it('keeps an error with a code of this library', async () => {
    const error = new TranscriptError('no-session', 'no session')
    expect(readError(error, 'a')).toBe(error)
    await expect(wrapReadError(Promise.reject(error))).rejects.toBe(error)
    await expect(wrapReadError(Promise.resolve(1))).resolves.toBe(1)
  })

  it('knows a missing file and an overflow by their codes and messages', () => {
    expect(['ENOENT', 'ENOTDIR', 'ELOOP'].map((code) => isMissing(systemError(code)))).toEqual([
      true,
      true,
      true,
    ])
    expect([systemError('EIO'), 'ENOENT', undefined].map(isMissing)).toEqual([false, false, false])
    expect(overflowMessage(new RangeError('of a bug'))).toBeUndefined()
  })
})

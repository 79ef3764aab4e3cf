import { truncate } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { KNOWN_PROGRAMS } from '../../known-programs.ts'
import { modelSays, toText } from '../../wires/claude/messages.ts'
import { temporaryFolder } from '../temporary.ts'
import { agentfold } from '../terminal.ts'

const hello = toText([modelSays('m1', 'Hi.', { uuid: 'u1' })])

const { inFolder, file } = temporaryFolder()

/** A pipe that fails after its first line. */
function* failing(fail: () => string): Generator<string> {
  yield hello
  yield fail()
}

const endless = (): string => `${endless()}.`
const MAX_STRING = 2 ** 29

describe('an input that is too large or nested too deep', () => {
  // Each printed a stack trace. The exit code was 1 for `parity` too, where 1 means that the sides differ.
  it.each<[string, () => string]>([
    ['the stack', endless],
    ['a string', () => 'x'.repeat(MAX_STRING)],
    ['a list', () => new Array(-1).join('')],
  ])('for %s gives one line', async (_, fail) => {
    const err = 'agentfold: -: too large or nested too deep to read\n'
    const ending = (args: readonly string[]) => agentfold(args, { stdin: failing(fail) })
    expect(await ending(['replay', '-'])).toEqual({ code: 1, out: '', err })
    expect(await ending(['identify', '-'])).toEqual({ code: 1, out: '', err })
    expect(await ending(['parity', '-', 'x'])).toEqual({ code: 2, out: '', err })
  })

  // The file was read as one string, which V8 cannot make.
  it('is read in portions if it is a file in a folder', async () => {
    const path = await file('huge/session.jsonl', 'x')
    await truncate(path, MAX_STRING)
    const { code, err } = await agentfold(['replay', inFolder('huge')])
    expect({ code, err }).toEqual({
      code: 1,
      err: `agentfold: ${inFolder('huge')}: not a transcript: no known program wrote it (1 line read). The known ones are ${KNOWN_PROGRAMS}\n`,
    })
  })

  it('gives one line if it is an endless pipe without a line end', async () => {
    const endlessly = function* (text: string) {
      for (;;) yield text
    }
    const value = '{"a":['.padEnd(2 ** 26)
    expect(await agentfold(['replay', '-'], { stdin: endlessly(value) })).toEqual({
      code: 1,
      out: '',
      err: 'agentfold: -: too large: the text does not fit into one string\n',
    })
  })

  it('is skipped if it is one line: the lines after it are read', async () => {
    const nuls = '\0'.repeat(2 ** 26)
    const { code, out } = await agentfold(['replay', '-'], {
      stdin: [...Array.from({ length: 9 }, () => nuls), '\n', hello],
    })
    expect(code).toBe(0)
    expect(out).toContain('Hi.')
    expect(out).toContain('malformed-line · count 1 · line 1')
  })

  it('differs from a bug: the command throws the error of a bug', async () => {
    const bug = new RangeError('no such architecture')
    const stdin = failing(() => {
      throw bug
    })
    await expect(agentfold(['replay', '-'], { stdin })).rejects.toBe(bug)
  })
})

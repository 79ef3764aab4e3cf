import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { followSession } from '../../../src/entries/node.ts'
import { modelSays, toText } from '../../wires/claude/messages.ts'
import { temporaryFolder } from '../temporary.ts'
import { agentfold } from '../terminal.ts'

const { inFolder, file } = temporaryFolder()

const hello = toText([modelSays('m1', 'Grüße 🍵', { uuid: 'u1' }), modelSays('m2', 'Bye.', { uuid: 'u2' })])
const little = Buffer.from(`\ufeff${hello}`, 'utf16le')
const big = Buffer.from(little).swap16()
const pipeOf = (bytes: Uint8Array, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  )

// PowerShell 5 writes UTF-16 for `>`.
describe.each([
  ['UTF-16, little-endian', little],
  ['UTF-16, big-endian', big],
])('%s', (name, bytes) => {
  it('is read like UTF-8: a file, a folder and a pipe', async () => {
    const { out: wanted } = await agentfold(['replay', '-'], { stdin: [hello] })
    const path = await file(`${name}/stream.jsonl`, bytes)
    const session = await file(`${name} session/s1.jsonl`, bytes)
    await file(`${name} session/s1/subagents/agent-a1.jsonl`, '')
    expect(wanted).toContain('Bye.')
    for (const input of [path, inFolder(name)]) expect((await agentfold(['replay', input])).out).toBe(wanted)
    expect((await agentfold(['replay', session])).out).toContain('Bye.')
    for (const size of [1, 3, 1000])
      expect((await agentfold(['replay', '-'], { stdin: pipeOf(bytes, size) })).out).toBe(wanted)
  })

  it('is followed', async () => {
    for await (const { state } of followSession(await file(`${name}/followed.jsonl`, bytes))) {
      expect(state.blocks).toHaveLength(2)
      break
    }
  })
})

it('gzip is an error that says so', async () => {
  const zipped = gzipSync(hello)
  const path = await file('zipped.jsonl.gz', zipped)
  const expected = (name: string) => ({
    code: 1,
    out: '',
    err: `agentfold: ${name}: compressed by gzip: decompress it first\n`,
  })
  for (const command of ['show', 'replay', 'follow'])
    expect(await agentfold([command, path])).toEqual(expected(path))
  expect(await agentfold(['show', '-'], { stdin: pipeOf(zipped, 1) })).toEqual(expected('-'))
})

it('one byte is no session', async () => {
  const { err } = await agentfold(['show', '-'], { stdin: [Buffer.from('x')] })
  expect(err).toContain('not a transcript')
})

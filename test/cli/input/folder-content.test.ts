import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { followSession } from '../../../src/entries/node.ts'
import { modelSays, toText } from '../../wires/claude/messages.ts'
import { temporaryFolder } from '../temporary.ts'
import { agentfold } from '../terminal.ts'

const { inFolder, file } = temporaryFolder()

const fixtures = join(import.meta.dirname, '../../../fixtures')
const exec = await readFile(join(fixtures, 'codex/01-plain-text/stdout.ndjson'), 'utf8')
const rollout = await readFile(
  join(
    fixtures,
    'codex/01-plain-text/sessions/2026/11/22/rollout-2026-11-22T17-05-41-01a20438-7f70-7d92-85a1-e2ed2f9f49fe.jsonl',
  ),
  'utf8',
)
const bus = await readFile(join(fixtures, 'opencode/01-plain-text/events.ndjson'), 'utf8')
const storedIn = async (folder: string, name: string) => readFile(join(fixtures, folder, name), 'utf8')
const pi = await storedIn(
  'pi/15b-tree/store/.pi/agent/sessions/--srv-demo--',
  '2026-11-25T21-23-30-846Z_01a21497-9f9e-7202-9852-42f9291e97bd.jsonl',
)
const hello = toText([modelSays('m1', 'Hi.', { uuid: 'u1' })])

async function stateOf(...args: readonly string[]): Promise<unknown> {
  const { code, out, err } = await agentfold(['replay', '--json', ...args])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out).state
}

describe('a folder with one recorded stream', () => {
  // The name of the file decided the format: "claude-sdk knows none of its lines".
  it.each([
    ['rollout.jsonl', rollout, 'codex'],
    ['out.ndjson', exec, 'codex'],
    ['events.ndjson', bus, 'opencode'],
    ['deep/stream.ndjson', hello, 'claude-sdk'],
    // "no known program wrote it", because its name was that of an agent's file
    ['mine.jsonl', pi, 'pi'],
  ])('is read by the content of the file: %s', async (name, content, format) => {
    const folder = `one-${name.replaceAll(/\W/g, '-')}`
    const path = await file(`${folder}/${name}`, content)
    // "no session among the files: OpenCode's export is needed"
    await file(`${folder}/package.json`, '{"name":"tea"}')
    await file(`${folder}/notes.jsonl`, '{"tea":true}\n')
    const state = await stateOf(path)
    expect(await stateOf(inFolder(folder))).toEqual(state)
    expect(await stateOf(inFolder(folder), '--format', format)).toEqual(state)
    for await (const { saveProgress } of followSession(inFolder(folder))) {
      expect(saveProgress()?.architecture).toBe(format)
      break
    }
  })

  it('may be the stream of a session whose program appends to no file', async () => {
    const folder = dirname(await file('bundle/all.jsonl', `[${hello.trim()}]\n`))
    expect(await stateOf(folder)).toEqual(await stateOf(join(folder, 'all.jsonl')))
    for await (const { state } of followSession(folder)) {
      expect(state.blocks).toHaveLength(1)
      break
    }
  })
})

it('a stored session comes before a stream beside it', async () => {
  await file('stored/s1.jsonl', hello)
  await file('stored/stream.ndjson', exec)
  expect(await stateOf(inFolder('stored'))).toEqual(await stateOf(inFolder('stored/s1.jsonl')))
})

it('a folder with several streams names them', async () => {
  await file('streams/a.ndjson', exec)
  await file('streams/b.ndjson', bus)
  const { code, err } = await agentfold(['replay', inFolder('streams')])
  expect(code).toBe(1)
  expect(err.split('\n')).toEqual([
    `agentfold: ${inFolder('streams')}: several sessions, choose one:`,
    expect.stringMatching(/^ {2}\S+ · .* · [ab]\.ndjson$/),
    expect.stringMatching(/^ {2}\S+ · .* · [ab]\.ndjson$/),
    '',
  ])
  expect((await agentfold(['show', inFolder('streams')])).err).toBe(err)
  const chosen = await agentfold(['replay', inFolder('streams'), '--format', 'opencode'])
  expect(chosen.code).toBe(0)
})

describe('a folder without a session', () => {
  it('gives the general message, whatever other files it has', async () => {
    await file('none/package.json', '{"name":"tea"}')
    await file('none/notes.ndjson', '{"tea":true}\n')
    const { code, err } = await agentfold(['replay', inFolder('none')])
    expect({ code, err }).toEqual({
      code: 1,
      err: `agentfold: ${inFolder('none')}: no session in the folder: pass a recorded stream as a file\n`,
    })
  })

  it('names the files that a given format needs', async () => {
    await file('given/package.json', '{"name":"tea"}')
    await file('given/agent-a1.jsonl', hello)
    const errorOf = async (format: string) =>
      (await agentfold(['replay', inFolder('given'), '--format', format])).err
    expect(await errorOf('opencode')).toContain('OpenCode')
    expect(await errorOf('claude-sdk')).toContain('a .jsonl is needed')
    expect(await errorOf('acp')).toContain('no session in the folder')
  })
})

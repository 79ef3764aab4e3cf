import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  computeAgentTypeHash,
  computeToolSetHash,
  hashSystemPrompt,
  identifySession,
} from '../../src/entries/identity.ts'
import { recording, folder as recordingsFolder, replay } from '../wires/recordings.ts'
import { temporaryFolder } from './temporary.ts'
import { agentfold } from './terminal.ts'

const { disk, sessionPath } = recording('06-nested-forward')
const { state } = replay(disk)
const stream = join(recordingsFolder, '06-nested-forward/stream.ndjson')

const { inFolder, file } = temporaryFolder()

describe('agentfold identify', () => {
  it('prints each conversation with its parent', async () => {
    const { code, out } = await agentfold(['identify', sessionPath])
    const [head, main = '', outer = '', inner = ''] = out.split('\n')
    expect(code).toBe(0)
    expect(head).toMatch(/^agent type [0-9a-f]{16}$/)
    expect(main).toMatch(/^[0-9a-f]{16} · main$/)
    expect(outer).toMatch(/^[0-9a-f]{16} · general-purpose · toolu_\w+ · of [0-9a-f]{16}$/)
    expect(outer.slice(-16)).toBe(main.slice(0, 16))
    expect(inner.slice(-16)).toBe(outer.slice(0, 16))
  })

  it('prints `unknown` for a hash that the stream cannot give', async () => {
    const { out } = await agentfold(['identify', stream])
    expect(out).toMatch(
      /\nunknown · main · the input lacks the first prompt: pass the stored session\n[0-9a-f]{16} · general-purpose · toolu_\w+ · of unknown\n/,
    )
  })

  it('says that the first response is not whole', async () => {
    const prompt = { type: 'user', uuid: 'u1', sessionId: 's', message: { role: 'user', content: 'Tea?' } }
    const { out } = await agentfold(['identify', '-'], { stdin: [`${JSON.stringify(prompt)}\n`] })
    expect(out).toContain('unknown · main · the input lacks the whole first response\n')
  })

  it.each([
    ['objects', [{ name: 'read' }, { name: 'bash' }]],
    ['names', ['bash', 'read']],
  ])('computes the agent type from a prompt and tools: %s', async (kind, tools) => {
    const { out } = await agentfold([
      'identify',
      sessionPath,
      '--system-prompt',
      await file('prompt.txt', ' You are careful.\n'),
      '--tools',
      await file(`${kind}.json`, JSON.stringify(tools)),
      '--json',
    ])
    const toolSetHash = computeToolSetHash([{ name: 'bash' }, { name: 'read' }])
    const agentTypeHash = computeAgentTypeHash(hashSystemPrompt('You are careful.'), toolSetHash)
    expect(JSON.parse(out)).toEqual({
      agentTypeHash,
      conversations: identifySession(state, { agentTypeHash }),
      issues: [],
    })
  })

  it('prints the broken lines', async () => {
    const path = await file('broken.ndjson', `${await readFile(stream, 'utf8')}{"type":`)
    const { code, out } = await agentfold(['identify', path])
    expect(code).toBe(0)
    expect(out).toMatch(/\n1 issue\n {2}malformed-line · count 1 · line \d+\n$/)
    const { out: json } = await agentfold(['identify', path, '--json'])
    expect(JSON.parse(json).issues).toMatchObject([{ code: 'malformed-line', count: 1 }])
  })

  it('gives exit code 1 if a system prompt is not UTF-8', async () => {
    const path = await file('latin1', Uint8Array.of(0xff, 0xfe))
    const { code, err } = await agentfold(['identify', sessionPath, '--system-prompt', path])
    expect({ code, err }).toEqual({ code: 1, err: `agentfold: ${path}: not UTF-8\n` })
  })

  it.each(['{}', 'no json', '[{"title":"x"}]', '["a|b"]'])(
    'gives exit code 1 if the tools are %s',
    async (tools) => {
      const { code, out, err } = await agentfold([
        'identify',
        sessionPath,
        '--tools',
        await file('bad.json', tools),
      ])
      expect({ code, out }).toEqual({ code: 1, out: '' })
      expect(err).toMatch(/^agentfold: [^\n]*bad\.json: [^\n]+\n$/)
      expect(err).not.toContain('token')
    },
  )

  it('gives exit code 1 if a file cannot be read', async () => {
    const path = inFolder('none')
    expect(await agentfold(['identify', sessionPath, '--system-prompt', path])).toEqual({
      code: 1,
      out: '',
      err: `agentfold: ${path}: no such file or folder\n`,
    })
    expect(await agentfold(['identify', inFolder('none')])).toMatchObject({ code: 1 })
  })

  it.each([
    [['identify']],
    [['identify', 'a', 'b']],
    [['identify', 'a', '--events']],
    [['identify', 'a', '--format', 'x']],
    [['replay', 'a', '--tools', 'x']],
    [['parity', 'a', 'b', '--system-prompt', 'x']],
  ])('refuses the arguments %j', async (args) => {
    expect(await agentfold(args)).toMatchObject({ code: 2, out: '' })
  })
})

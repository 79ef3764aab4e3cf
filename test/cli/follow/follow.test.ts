import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FollowView } from '../../../src/cli/follow/follow-view.ts'
import { sessionLog } from '../../../src/entries/arbitraries.ts'
import {
  createInitialConversationState,
  reduceSessionEvent,
  reduceSessionEvents,
} from '../../../src/entries/index.ts'
import { runs } from '../../depth.ts'
import {
  blockStart,
  init,
  messageStart,
  modelAnswers,
  modelSays,
  text,
  textDelta,
  toText,
} from '../../wires/claude/messages.ts'
import { recordings, folder as recordingsFolder, replay } from '../../wires/recordings.ts'
import { temporaryFolder } from '../temporary.ts'
import { agentfold } from '../terminal.ts'

const { inFolder, file } = temporaryFolder()

const OPTIONS = { columns: 80, isStyled: false, isFull: true, redact: (each: string) => each }

const linesOf = (content: string) => content.split(/(?<=\n)/)
const squeeze = (content: string) => content.replace(/[│\s`]/g, '')
const countOf = (content: string, part: string) => content.split(part).length - 1

describe('agentfold follow -', () => {
  it.each(recordings.map(({ name, stream }) => [name, stream] as const))(
    'prints every text of %s as often as it is in the session',
    async (_, stream) => {
      const { code, out, err } = await agentfold(['follow', '-', '--full'], { stdin: linesOf(stream) })
      expect({ code, err }).toEqual({ code: 0, err: '' })
      const { state } = replay(stream)
      const texts = [state, ...state.subagents].flatMap(({ blocks }) =>
        blocks.flatMap((block) =>
          block.type === 'assistant_text' && /^[\w .,:]+$/.test(block.content) ? [block.content] : [],
        ),
      )
      for (const each of texts) expect(countOf(squeeze(out), squeeze(each)), each).toBeGreaterThanOrEqual(1)
      for (const { description } of state.subagents) expect(out).toContain(description)
    },
  )

  it('prints the end of each agent and of each turn, and what waits for the person', async () => {
    const { stream } = recordings.find(({ name }) => name === '05-three-parallel-forward') ?? { stream: '' }
    const { out } = await agentfold(['follow', '-'], { stdin: linesOf(stream) })
    for (const name of ['add', 'sub', 'mul'])
      expect(out).toMatch(new RegExp(`◇ Agent general-purpose Review ${name} · done`))
    expect(out).toMatch(/── done\n$/)
    const requests = await readFile(
      join(recordingsFolder, '../claude-code-requests/01-permission/stream.ndjson'),
      'utf8',
    )
    const { out: waiting } = await agentfold(['follow', '-'], { stdin: linesOf(requests) })
    expect(waiting).toContain(
      '  ? Permission Bash: Touch → waiting for you\n    ○ Allow\n    ○ Deny\n  Answer in claude-code.\n',
    )
  })

  it('prints the reason of a failed turn', async () => {
    const { stream } = recordings.find(({ name }) => name === '08g-fatal-400') ?? { stream: '' }
    const { out } = await agentfold(['follow', '-'], { stdin: linesOf(stream) })
    expect(out).toMatch(/── failed: API Error: 400 mock/)
  })
})

describe('the view of a growing session', () => {
  it('prints each final text once, in any order of events', () => {
    fc.assert(
      fc.property(sessionLog(), (events) => {
        const view = new FollowView(OPTIONS)
        let state = createInitialConversationState()
        const printed: string[] = []
        for (const event of events) {
          state = reduceSessionEvent(state, event)
          printed.push(...view.lines(state))
          expect(view.tail(state).every((line) => !line.includes('\n'))).toBe(true)
        }
        expect(view.lines(state)).toEqual([])
        const out = printed.join('\n')
        expect(out.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
      }),
      { numRuns: runs(200) },
    )
  })
})

describe('agentfold follow of a file', () => {
  const first = toText([init, modelSays('m1', 'One.', { uuid: 'u1' })])
  const next = toText([modelAnswers('m2', 'Two.', { uuid: 'u2' })])

  /** Follows the file until the output contains the text. */
  async function followUntil(path: string, wanted: string, act: () => Promise<void> = async () => {}) {
    const stop = new AbortController()
    let out = ''
    let hasActed = false
    const write = (part: string) => {
      out += part
      if (!hasActed && out.includes('One.')) {
        hasActed = true
        act().catch(() => stop.abort())
      }
      if (out.includes(wanted)) stop.abort()
    }
    const ran = await agentfold(['follow', path], { interruption: () => stop.signal, onWrite: write })
    return { ...ran, out }
  }

  it('prints what the file has, and then what is new, until Ctrl-C', async () => {
    const path = await file('grow.jsonl', first)
    const { code, out } = await followUntil(path, 'Two.', () => appendFile(path, next))
    expect(code).toBe(130)
    expect(countOf(out, 'One.')).toBe(1)
    expect(countOf(out, 'Two.')).toBe(1)
    expect(out).not.toContain('\u001b')
  })

  // Its blocks followed the old session's, as if it were the same one.
  it.each(['replaced', 'removed first'])('begins with the head of another session: %s', async (way) => {
    const other = toText([{ ...init, session_id: 'other' }, modelSays('m9', 'Three.', { uuid: 'u9' })])
    const path = await file('replaced.jsonl', first)
    const { out } = await followUntil(path, 'Three.', async () => {
      if (way === 'removed first') await rm(path)
      await writeFile(path, other)
    })
    expect(out.split('\n').filter((line) => line.startsWith('────'))).toHaveLength(2)
  })

  it('says that a file has no session yet', async () => {
    const path = await file('later.jsonl', '')
    const stop = new AbortController()
    const { err, out } = await agentfold(['follow', path], {
      interruption: () => stop.signal,
      onWrite: () => stop.abort(),
      onError: () => appendFile(path, first),
    })
    expect(err).toMatch(/^agentfold: .*later\.jsonl: no session in it yet, waiting for one\n$/)
    expect(out).toContain('One.')
  })

  // It waited for ever.
  it.each(['hello\nworld\n', '{"tea":true}\n', '[{"tea":true}]', '{\n "tea": true\n}\n'])(
    'ends with the message of show if no format knows the lines: %j',
    async (content) => {
      const path = await file('foreign.txt', content)
      const ran = await agentfold(['follow', path])
      expect(ran).toEqual(await agentfold(['show', path]))
      expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('not a transcript') })
    },
  )

  it('ends with that message if the lines come later', async () => {
    const path = await file('foreign-later.txt', '')
    const { code, err } = await agentfold(['follow', path], {
      onError: (text) => (text.includes('waiting') ? appendFile(path, 'hello\n') : undefined),
    })
    expect(code).toBe(1)
    expect(err).toMatch(/waiting for one\n.*not a transcript.*\n$/)
  })

  it.each(['', '{"type":', '{"type":"system",\n', '[\n'])(
    'waits for the rest of a first line: %j',
    async (content) => {
      const path = await file('half.jsonl', content)
      const stop = new AbortController()
      const { code, err } = await agentfold(['follow', path], {
        interruption: () => stop.signal,
        onError: () => stop.abort(),
      })
      expect(code).toBe(130)
      expect(err).toMatch(/waiting for one\n$/)
    },
  )

  it('gives exit code 1 for a missing file', async () => {
    expect(await agentfold(['follow', inFolder('none.jsonl')])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('no such file or folder'),
    })
  })
})

describe('the last lines on a terminal', () => {
  function screenOf() {
    const written: string[] = []
    let time = 0
    const now = () => {
      time += 1_000
      return time
    }
    return { written, screen: { write: (part: string) => written.push(part), rows: 24, now } }
  }

  it('show the pending text, the running agents and the status, and are gone at the end', async () => {
    const { stream } = recordings.find(({ name }) => name === '05-three-parallel-forward') ?? { stream: '' }
    const { written, screen } = screenOf()
    const { out } = await agentfold(['follow', '-', '--color'], { stdin: linesOf(stream), screen })
    const drawn = written.join('')
    expect(drawn).toMatch(/running/)
    expect(drawn).toContain('3 agents')
    expect(drawn).toContain('context')
    expect(out).toContain('All three reviews are done.')
    expect(out).not.toContain('\u001b[?7l')
    expect(written.at(-1)?.endsWith('\u001b[J')).toBe(true)
  })

  it('show no part of a secret that still grows', async () => {
    const { written, screen } = screenOf()
    const answer = 'The settings are:\nDB_PASSWORD=hunter2Secret9\nThen some more words.'
    const deltas = [...answer].map((letter) => textDelta('m1', 0, letter))
    const messages = [init, messageStart('m1'), blockStart('m1', 0, text('')), ...deltas]
    await agentfold(['follow', '-', '--redact'], { stdin: linesOf(toText(messages)), screen })
    const drawn = written.join('')
    expect(drawn).toContain('DB_PASSWORD=[secret]')
    expect(drawn).not.toMatch(/hunter/)
  })

  // The end of a key without its beginning was no key for the redaction.
  it('redact a long text before they cut it', async () => {
    const started = reduceSessionEvent(createInitialConversationState(), { type: 'session:running' })
    const content = `BEGIN ${'secret '.repeat(1_000)}`
    const block = {
      id: 'b1',
      type: 'assistant_text',
      status: 'pending',
      content,
      conversationId: 'main',
    } as const
    const redact = (text: string) => text.replace(/BEGIN (secret )+/, '[key]')
    const lines = new FollowView({ ...OPTIONS, redact }).tail({ ...started, blocks: [block] })
    expect(lines.join('\n')).toContain('[key]')
    expect(lines.join('\n')).not.toContain('secret')
  })

  it.each([
    ['the prompt of an agent', { toolUseId: 'S' }, '  Delete all of it.'],
    ['its facts', { data: { patterns: ['rm *'] } }, '      "rm *"'],
    ['nothing more', {}, '  Answer in the program.'],
  ])('show what a request without a call has: %s', (_, fields, line) => {
    const state = reduceSessionEvents(createInitialConversationState(), [
      { type: 'subagent:spawned', toolUseId: 'S', prompt: 'Delete all of it.', conversationId: 'main' },
      {
        type: 'block:upsert',
        block: { type: 'request', id: 'r1', status: 'pending', kind: 'permission', title: 'Look', ...fields },
      },
    ])
    expect(new FollowView(OPTIONS).lines(state)).toContain(line)
  })

  // The title is the model's: "Run the tests" was a push by force, and a mark of a direction turned the command around.
  it.each([80, 100, 140])('show all that a permission lets run, on %i columns', (columns) => {
    const tail = `echo ${'step '.repeat(100)}end`
    const call = { type: 'tool_use', id: 't1', toolUseId: 't1', toolName: 'Bash', status: 'pending' } as const
    const command = `npm test \u202e# x\u001b[8m; git push --force\u200b && ${tail}`
    const state = reduceSessionEvents(createInitialConversationState(), [
      { type: 'session:updated', facts: { program: 'claude-code' } },
      { type: 'block:upsert', block: { ...call, input: { command, description: 'Run the tests' } } },
      {
        type: 'block:upsert',
        block: {
          ...{ type: 'request', id: 'r1', status: 'pending', kind: 'permission', toolUseId: 't1' },
          ...{ title: 'Bash: Run the tests', options: [{ id: 'y', label: 'Allow' }] },
        },
      },
    ])
    const lines = new FollowView({ ...OPTIONS, columns, isFull: false }).lines(state)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns)
    const shown = lines.map((line) => line.trim()).join(' ')
    expect(shown).toContain('npm test \ufffd# x␛[8m; git push --force\ufffd && echo step')
    expect(shown.replace(/ /g, '')).toContain(tail.replace(/ /g, ''))
    expect(lines.slice(-4)).toEqual([
      '  description: Run the tests',
      '  ? Permission Bash: Run the tests → waiting for you',
      '    ○ Allow',
      '  Answer in claude-code.',
    ])
  })

  it('show thinking, open requests and calls', async () => {
    const started = reduceSessionEvent(createInitialConversationState(), {
      type: 'session:running',
      conversationId: 'main',
    })
    const block = { conversationId: 'main', status: 'pending' } as const
    const tailOf = (content: object) =>
      new FollowView(OPTIONS).tail({ ...started, blocks: [{ ...block, ...content } as never] }).join('\n')
    expect(tailOf({ id: 'b1', type: 'thinking', content: 'Hm, tea.' })).toContain('  Hm, tea.')
    expect(tailOf({ id: 'b1', type: 'request', kind: 'question', title: 'Tea?' })).toMatch(
      /waiting for you: Tea\?\nwaiting for you/,
    )
    expect(
      tailOf({ id: 'b1', type: 'tool_use', toolName: 'Bash', toolUseId: 't1', input: { command: 'ls' } }),
    ).toContain('Bash  ls  running')
    expect(tailOf({ id: 'b1', type: 'system', subtype: 'hook', message: 'x' })).toBe('\nrunning')
  })
})

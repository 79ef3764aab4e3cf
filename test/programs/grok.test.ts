import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseJson } from '../../src/core/json/values.ts'
import { followSession, listSessions, readSession, type SessionSummary } from '../../src/entries/node.ts'
import { compareSessions } from '../../src/entries/parity.ts'
import { grokReader } from '../../src/programs/grok/reader.ts'
import { acpFiles } from '../../src/wires/acp/format.ts'
import { acpSource } from '../../src/wires/acp/source.ts'
import { detectArchitecture } from '../../src/wires/detect.ts'
import { parseTranscript } from '../../src/wires/transcript.ts'
import { agentfold } from '../cli/terminal.ts'
import { factDifferences } from '../facts/check-facts.ts'
import type { Facts } from '../facts/facts.ts'
import { shownFacts, storedFacts } from '../laws/grok-forms.ts'
import { recordedForms } from '../laws/recordings.ts'
import { inNewFolder } from '../node/follow/growing-session.ts'
import { FOLDER, streams } from './grok-recordings.ts'

const names = readdirSync(FOLDER).sort()

function factsOf(name: string): Facts {
  return JSON.parse(readFileSync(join(FOLDER, name, 'facts.json'), 'utf8'))
}

/** Runs a test on a machine with the sessions of a recording. */
const onMachine = (name: string, run: (home: string) => Promise<void>): Promise<void> =>
  inNewFolder((home) => {
    cpSync(join(FOLDER, name, 'sessions'), join(home, '.grok/sessions'), { recursive: true })
    return run(home)
  })

async function list(home: string): Promise<readonly SessionSummary[]> {
  const found: SessionSummary[] = []
  for await (const each of listSessions({ home })) found.push(each)
  return found
}

describe.each(names)('%s', (name) => {
  it('has the facts of its files', () =>
    onMachine(name, async (home) => {
      const facts = storedFacts(shownFacts(factsOf(name)))
      const sessions = await list(home)
      const { prompt } = facts.agents[0] ?? {}
      const session = sessions.at(name === '15c-fork' ? -1 : 0)
      expect(session).toMatchObject({ format: 'acp', program: 'grok', cwd: '/srv/demo', firstPrompt: prompt })
      const { state, issues } = await readSession(session?.path ?? '')
      expect(factDifferences(state, facts, { form: 'store' })).toEqual([])
      expect(state.session).toMatchObject({ program: 'grok', protocol: 'acp' })
      expect(issues.filter(({ code }) => code !== 'unfinished-subagent')).toEqual([])
    }))
})

describe('the files of a session', () => {
  it('are listed without those of agents, and shown with them', () =>
    onMachine('08-nested', async (home) => {
      const { out } = await agentfold(['list'], { home })
      expect(
        out
          .trim()
          .split('\n')
          .map((line) => line.split('\t').slice(2, 4)),
      ).toEqual([['grok', '/srv/demo']])
      const [session] = await list(home)
      expect(session).toMatchObject({ id: '01a214ad-95ff-7d73-b330-4c06a9bf2c05', agents: 3 })
      expect(session?.updatedAt).toMatch(/^2026-11-25T21:47:3\d\.\d{3}Z$/)
      const shown = await agentfold(['show', session?.id ?? ''], { home })
      expect(shown.out).toContain('The soft house glows beside the door.')
    }))

  it('are found in a folder by the names of the agents, and with a path within the folder', () =>
    onMachine('08-nested', async (home) => {
      const { state } = await readSession(join(home, '.grok/sessions'))
      expect(state.subagents).toHaveLength(3)
      const paths = ['subagents/a/meta.json', 'updates.jsonl', '../a/updates.jsonl']
      const reader = { values: () => [], value: () => undefined, names: () => [] }
      expect(acpFiles.transcripts(paths, reader, 'updates.jsonl')).toEqual([
        { path: 'updates.jsonl' },
        { id: 'a', path: '../a/updates.jsonl' },
      ])
      expect(() => acpFiles.transcripts([], reader)).toThrow('no session among the files')
      expect(() => acpFiles.transcripts(['a/updates.jsonl', 'b/updates.jsonl'], reader)).toThrow(
        'several sessions',
      )
    }))

  it('are followed while the program writes them', () =>
    onMachine('06-subagent', async (home) => {
      const [session] = await list(home)
      const path = session?.path ?? ''
      const lines = readFileSync(path, 'utf8').split('\n')
      const half = lines.findIndex((line) => line.includes('subagent_finished'))
      writeFileSync(path, `${lines.slice(0, half).join('\n')}\n`)
      const whole = await readSession(path)
      const abort = new AbortController()
      let text = ''
      for await (const { state } of followSession(path, { signal: abort.signal })) {
        text = JSON.stringify(state)
        if (state.turn.status === 'finished') abort.abort()
        else if (state.subagents[0]?.blocks.length) writeFileSync(path, lines.join('\n'))
      }
      expect(whole.state.turn.status).toBe('interrupted')
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify((await readSession(path)).state)))
    }))
})

const forms = [...recordedForms(FOLDER)]

// The image of an MCP tool stood as its bytes in the text of the result.
it.each([
  ['a picture\ndata:image/png;base64,AAAA', ['a picture', 'image']],
  ['data:image/png;base64,AAAA\ndata:image/png;base64,BBBB\nboth', ['image', 'image', 'both']],
])('has the images of a result of a tool of a server: %j', (OkayOutput, expected) => {
  const rawOutput = { type: 'MCP', tool_name: 'show', server_name: 'demo', output: { OkayOutput } }
  const { output } = grokReader.result?.(rawOutput, '', rawOutput) ?? {}
  const parts = Array.isArray(output) ? output : []
  expect(parts.map(({ type, text }) => text ?? type)).toEqual(expected)
})

it('has other words of such a tool as one text', () => {
  const words = 'see data:image/png;base64,AAAA'
  const rawOutput = { type: 'MCP', output: { OkayOutput: words } }
  expect(grokReader.result?.(rawOutput, '', rawOutput)).toEqual({ output: words })
})

const readLines = (lines: readonly unknown[]) => acpSource.read(acpSource.open(), lines)

describe('a connection and its files', () => {
  const both = (name: string) => {
    const stored = forms.find(({ recording, form }) => recording === name && form === 'store')
    const log = readFileSync(join(FOLDER, name, 'rpc.ndjson'), 'utf8')
    return [parseTranscript('acp', log), parseTranscript('acp', stored?.raw ?? '')] as const
  }

  // The files have no request for a question, but the call's result has the answer.
  it('have the same question with its answer', () => {
    const [live, stored] = both('11-permission').map(({ blocks }) =>
      blocks.flatMap((block) => {
        if (block.type !== 'request' || block.kind !== 'question') return []
        const { title, options, answer, toolUseId } = block
        return [{ title, options, answer, toolUseId }]
      }),
    )
    expect(stored).toHaveLength(1)
    expect(stored).toEqual(live)
  })

  // The files have the compaction before the prompt that asked for it.
  it('have a compaction behind its prompt', () => {
    const [live, stored] = both('16-compaction').map(({ blocks }) => blocks.map(({ id }) => id))
    expect(stored).toEqual(live)
  })
})

it.each([
  ['two questions', '"One?"="a", "Two?"="b". You can now continue.', 'a, b'],
  ['an answer with quotes', '"One?"="say "a"". You can now continue.', 'say "a"'],
  ['no answer', 'The user did not answer.', undefined],
])('reads the answer to a question: %s', (_, message, answer) => {
  const input = { questions: [{ question: 'One?', options: [{ label: 'a' }] }, { question: 'Two?' }] }
  const call = { toolUseId: 't1', toolName: 'ask_user_question', input, isPending: false }
  const asked = grokReader.askedQuestion?.(
    { ...call, title: undefined, kind: undefined, meta: undefined },
    { UserAnswered: { message } },
  )
  expect(asked).toEqual({ title: 'One?\nTwo?', options: ['a'], ...(answer !== undefined && { answer }) })
})

describe('the lines of streaming-json', () => {
  it.each(streams)('are proved by a line of their own: %s', (_, text) => {
    expect(detectArchitecture(text)).toBe('acp')
    const lines = text.split('\n').filter((line) => line !== '')
    const words = lines.filter((line) => /^{"type":"(?:text|thought|usage|plan|error)"/.test(line))
    expect(words.length).toBeGreaterThan(0)
    expect(detectArchitecture(words.join('\n'))).toBeUndefined()
  })

  it.each(streams)('say the same as the files: %s', (name, text) => {
    const stored = forms.find(({ recording, form }) => recording === name && form === 'store')
    const { differences } = compareSessions(
      parseTranscript('acp', text),
      parseTranscript('acp', stored?.raw ?? ''),
    )
    // No line names the agent that starts another one.
    expect(differences.filter(({ field }) => field !== 'parentConversationId')).toEqual([])
    expect(differences.length > 0).toBe(name === '08-nested')
  })

  it('name the program, the session and the model, and report no unknown line', () => {
    for (const [, text] of streams) {
      const { session, issues } = readLines(text.split('\n').flatMap((line) => parseJson(line) ?? []))
      expect(session.state.session).toMatchObject({ program: 'grok' })
      const end = text.split('\n').find((line) => line.startsWith('{"type":"end"'))
      if (end)
        expect(session.state.session).toMatchObject({ id: JSON.parse(end).sessionId, model: 'mock-model' })
      expect(issues).toEqual([])
    }
  })

  it('show the words of an error of the API, and any other text as it is', () => {
    const failed = (message: string) => readLines([{ type: 'error', message }]).session.state.turn
    expect(failed('Internal error: {"message":"API error","http_status":400}')).toMatchObject({
      status: 'failed',
      error: 'API error',
    })
    expect(failed('no key')).toMatchObject({ status: 'failed', error: 'no key' })
  })

  it('show a turn that the person stopped', () => {
    const end = { type: 'end', stopReason: 'cancelled', sessionId: 's1', modelUsage: { a: {}, b: {} } }
    const { state } = readLines([{ type: 'text', data: 'Tea' }, end]).session
    expect(state.turn.status).toBe('interrupted')
    expect(state.session.model).toBeUndefined()
  })

  it.each([
    { type: 'text' },
    { type: 'thought', data: 1 },
    { type: 'tool_call' },
    { type: 'plan' },
    { type: 'usage' },
    { type: 'available_commands' },
    { type: 'error' },
    { type: 'end', stopReason: 'end_turn' },
    { type: 'other' },
  ])('with missing fields are unknown: %j', (line) => {
    expect(readLines([line]).issues.map(({ code }) => code)).toEqual(['unknown-message'])
  })
})

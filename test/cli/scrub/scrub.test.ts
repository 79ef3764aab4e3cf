import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { sessionShape } from '../../../src/cli/commands/scrub.ts'
import { scrubTranscript } from '../../../src/cli/scrub/scrub-transcript.ts'
import { agentTypeOf } from '../../../src/core/state/subagent.ts'
import { parseTranscript, readTranscript } from '../../../src/entries/index.ts'
import { readSession } from '../../../src/entries/node.ts'
import { hasDatabaseReader } from '../../../src/node/files/database.ts'
import { takesModel, writablePrograms } from '../../../src/sinks/writers/targets/all.ts'
import { writeSession } from '../../../src/sinks/writers/write-session.ts'
import { inNewFolder } from '../../node/follow/growing-session.ts'
import { agentfold } from '../terminal.ts'

const FIXTURES = join(import.meta.dirname, '../../../fixtures')
const STREAM = join(FIXTURES, 'grok/06-subagent/stream.ndjson')

const QUEUE = { type: 'queue-operation', sessionId: '1ab41aa7-8d34-462c-b179-fe5a7490ba58' }
const PROMPT = JSON.stringify({
  type: 'user',
  uuid: '2ab41aa7-8d34-462c-b179-fe5a7490ba58',
  parentUuid: null,
  sessionId: QUEUE.sessionId,
  timestamp: '2026-01-02T03:04:05.000Z',
  message: { role: 'user', content: 'Say something.' },
})

const scrubLine = (value: unknown) =>
  JSON.parse(scrubTranscript({ main: JSON.stringify(value), subagents: [] }).main)

it('prints a stream with its shape, and without its words', async () => {
  const { code, out, err } = await agentfold(['scrub', STREAM])
  expect([code, err]).toEqual([0, ''])
  const old = readFileSync(STREAM, 'utf8')
  expect(sessionShape(parseTranscript(out))).toBe(sessionShape(parseTranscript(old)))
  expect(old).toContain('pillow')
  expect(out).not.toContain('pillow')
  expect(out.split('\n')).toHaveLength(old.split('\n').length)
})

// The export of OpenCode had other models, and agents without their types.
it.each(writablePrograms())('keeps the models and the types of agents that it writes for %s', (program) =>
  inNewFolder(async (folder) => {
    const { state } = await readSession(join(FIXTURES, 'claude-code/06-nested-forward/transcript'))
    const model = 'tea/tea-opus-4-20260102'
    const session = { ...state, session: { ...state.session, model } }
    const { files } = writeSession(session, {
      program,
      cwd: '/srv/tea',
      ...(takesModel(program) && { model }),
    })
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    const written = join(folder, Object.keys(files).at(-1) ?? '')
    const scrubbed = join(folder, 'scrubbed.json')
    const { code, out, err } = await agentfold(['scrub', written])
    expect([code, err]).toEqual([0, ''])
    writeFileSync(scrubbed, out)
    const factsOf = async (path: string) => {
      const read = (await readSession(path)).state
      const models = [read.session, ...[read, ...read.subagents].flatMap(({ usage }) => usage)]
      return [...models.map((each) => each.model), ...read.subagents.map(agentTypeOf)]
    }
    const facts = await factsOf(written)
    expect(facts.join()).toContain('general-purpose')
    expect(await factsOf(scrubbed)).toEqual(facts)
    const named = /"(?:model|modelID|providerID)": ?"[^"]*"/g
    const models = Object.values(files).flatMap((text) => text.match(named) ?? [])
    const bare = (texts: readonly string[]) => new Set(texts.map((text) => text.replaceAll(' ', '')))
    expect(bare(out.replaceAll('\\"', '"').match(named) ?? [])).toEqual(bare(models))
  }),
)

it('gives short ids of a session with thousands of ids different new ones', () => {
  const ids = ['a1a', ...Array.from({ length: 999 }, (_, at) => `b${10_000_000 + at}`), 'z9z']
  const scrubbed = scrubLine({ ids })
  expect(new Set(scrubbed.ids).size).toBe(ids.length)
  expect(scrubbed.ids.slice(1, -1).toSorted()).toEqual(scrubbed.ids.slice(1, -1))
})

it('reads a pipe, and prints the same words each time', async () => {
  const stdin = [Buffer.from(readFileSync(STREAM))]
  const { out } = await agentfold(['scrub', '-'], { stdin })
  expect(out).toBe((await agentfold(['scrub', STREAM])).out)
})

it('prints a session with the files of its agents as one text, which agentfold reads', () =>
  inNewFolder(async (home) => {
    cpSync(join(FIXTURES, 'grok/08-nested/sessions'), join(home, '.grok/sessions'), { recursive: true })
    const { out, code } = await agentfold(['scrub', '01a214ad-95ff-7d73-b330-4c06a9bf2c05'], { home })
    expect(code).toBe(0)
    const file = join(home, 'scrubbed.json')
    writeFileSync(file, out)
    const { state } = await readSession(file)
    const { state: old } = await readSession(join(home, '.grok/sessions'))
    expect(state.subagents).toHaveLength(3)
    expect(sessionShape(state)).toBe(sessionShape(old))
    expect((await agentfold(['show', file])).code).toBe(0)
  }))

it.runIf(hasDatabaseReader())('prints a session of a database', async () => {
  const { out, code } = await agentfold(['scrub', join(FIXTURES, 'kilo/06-subagent/kilo.db')])
  expect(code).toBe(0)
  expect(parseTranscript(out).subagents).toHaveLength(1)
})

it('replaces ids, paths, addresses and keys, and keeps the order of ids', () => {
  const [left, right] = ['ses_9a1b2c3d4e', 'ses_1a1b2c3d4e']
  const scrubbed = scrubLine([{ id: left }, { id: right }, { text: `see ${left} in /home/ada/secret.txt` }])
  expect(scrubbed).toEqual([
    { id: 'ses_0000000002' },
    { id: 'ses_0000000001' },
    { text: 'xxx ses_0000000002 in /xxxx/xxx/xxxxxx.xxx' },
  ])
  const key = 'sk-live-4eC39HqLyjWDarjtT1zdp7dc'
  expect(JSON.stringify(scrubLine({ text: `ada@example.com ${key}`, name: key }))).not.toMatch(
    /ada|example|4eC39|HqLy/,
  )
})

// Claude Code's queue and OpenCode's deltas lost the words that say what a line does: each was an issue in the scrubbed session alone.
it.each([
  'interactive/claude-code-tui-2.0.77/23a-queued-two/store/projects',
  'interactive/opencode-tui/17c-killed-subagent/stream.ndjson',
])('reports no more issues than the session has: %s', async (path) => {
  const { out } = await agentfold(['scrub', join(FIXTURES, path)])
  const { issues } = await readSession(join(FIXTURES, path))
  expect(readTranscript(out).issues.map(({ code }) => code)).toEqual(issues.map(({ code }) => code))
})

it('keeps types, states, tools, times and numbers', () => {
  const value = {
    type: 'tool_call',
    status: 'completed',
    name: 'run_terminal_command',
    timestamp: '2026-01-02T03:04:05.678Z',
    count: 7,
    done: true,
    nothing: null,
  }
  expect(scrubLine(value)).toEqual(value)
  expect(scrubLine({ name: 'ada', title: 'Allow the call' })).toEqual({
    name: 'aab',
    title: 'Allow xxx xxxx',
  })
})

it('replaces the name of an agent in a title that ends with it', () => {
  const [title, name] = scrubLine(['Check it (@acme.merger subagent)', 'acme.merger'])
  expect(title).toBe(`Xxxxx it (@${name} subagent)`)
  expect(name).toBe('xxxx.xxxxxx')
})

it.each(['=', 'a=b;c.d,', '(@', '[', '{"a":', '[\n', 'x', 'deadbeef'])(
  'replaces a megabyte of %j in linear time',
  (repeated) => {
    const text = repeated.repeat(1_000_000 / repeated.length)
    expect(scrubLine([text, 'acme'])[0]).toHaveLength(text.length)
  },
)

it('replaces the names in the statements of a database, save those of a plan', () => {
  const of = (table: string, column: string) =>
    `INSERT INTO ${table} (id, ${column}, status) VALUES ('a', 'done'); ` +
    `UPDATE ${table} SET ${column} = 'b' WHERE ${column} = 'c'; DELETE FROM ${table}`
  expect(scrubLine({ query: of('merger', 'kestrel') }).query).not.toMatch(/merger|kestrel/)
  expect(scrubLine({ query: of('todos', 'title') }).query).toBe(of('todos', 'title'))
})

it('replaces the words of JSON in a text, of a name that is a text, and of a broken line', () => {
  expect(scrubLine({ arguments: '{"command":"make tea"}' })).toEqual({
    arguments: '{"command":"xxxx xxx"}',
  })
  expect(scrubLine({ output: 'Error: {"message":"no tea"}\ndone {' })).toEqual({
    output: 'Error: {"message":"no xxx"}\nxxxx {',
  })
  expect(scrubLine({ 'What tea?': 'Green' })).toEqual({ 'Xxxx xxx?': 'Xxxxx' })
  expect(scrubTranscript({ main: '{"text":"make\nSome tea', subagents: [] }).main).toBe(
    '{"xxxx":"xxxx\nXxxx xxx',
  )
})

it('keeps what an event does, and the name in the id of a teammate', () => {
  const event = { operation: 'enqueue', delivery: 'idle', namespace: 'multi_agent_v1', field: 'text' }
  expect(scrubLine(event)).toEqual(event)
  const { agent_id, name } = scrubLine({ agent_id: 'aanna-e5b840bd6cfd2706', name: 'anna' })
  expect(name).not.toBe('anna')
  expect(agent_id).toMatch(new RegExp(`^a${name}-\\d{16}$`))
})

it('gives the pieces of a text the letters of the whole', () => {
  const [whole, ...pieces] = scrubLine(['The quickest kettle', 'The qui', 'ckest ket', 'tle'])
  expect(pieces.join('')).toBe(whole)
})

it('refuses a session that has another shape without its words, and one that it cannot read', async () => {
  // Two prompts of the same words in the same millisecond may be one line that comes twice, so the second one leaves the queue
  // last. Without their words, the first two are equal.
  const queued = (content: string) =>
    JSON.stringify({ ...QUEUE, operation: 'enqueue', timestamp: '2026-01-02T03:04:05.678Z', content })
  const removed = JSON.stringify({ ...QUEUE, operation: 'remove', timestamp: '2026-01-02T03:04:06.000Z' })
  const prompts = ['Be brief.', 'Be quiet.', 'Write it down.'].map(queued)
  const stdin = [[PROMPT, ...prompts, removed, removed, ''].join('\n')]
  expect(await agentfold(['scrub', '-', '--format', 'claude-sdk'], { stdin })).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('not printed, because the session has another shape without its words'),
  })
  expect(await agentfold(['scrub', 'no/such/file'])).toMatchObject({ code: 1, out: '' })
  expect(await agentfold(['scrub', '-', '--format', 'codex'], { stdin: ['{"tea":1}\n'] })).toMatchObject({
    code: 1,
    out: '',
  })
})

// A customer's name was read as a state, because the tool of a database calls a field `status`.
it('replaces the words of a tool in fields whose words show the structure elsewhere', () => {
  const fields = ['name', 'status', 'source', 'role', 'kind', 'category', 'event', 'version', 'scope', 'type']
  const words = ['Kestrel', 'kestrel', 'kestrel-corp', 'KESTREL_KEY', 'kestrel/docs']
  const values = words.map((word) => Object.fromEntries(fields.map((field) => [field, word])))
  for (const place of ['input', 'arguments', 'rawInput', 'output', 'toolUseResult', 'structuredContent']) {
    const scrubbed = scrubLine([
      { type: 'kestrel' },
      { [place]: { rows: values, text: JSON.stringify(values) } },
    ])
    expect(JSON.stringify(scrubbed[0])).toContain('kestrel')
    expect(JSON.stringify(scrubbed[1])).not.toMatch(/kestrel/i)
  }
  const call = { input: { subagent_type: 'code-reviewer', todos: [{ status: 'in_progress' }] } }
  expect(scrubLine(call)).toEqual(call)
})

// These fields keep the program's own words. In a tool's call or result, or in JSON that a person wrote, they had names and keys.
it('keeps models, providers and types of agents in the places of the program alone, and no key', () => {
  const facts = {
    ...{
      provider: 'acme',
      providerId: 'acme',
      modelName: 'tea.acme-4',
      modelId: 'acme/tea-4',
      model_id: 'acme',
    },
    ...{ agent: 'acme.doe', agent_role: 'cfo-of-acme', agent_name: 'acme', agentName: 'cfo-of-acme' },
  }
  expect(scrubLine(facts)).toEqual(facts)
  for (const place of ['input', 'output', 'toolUseResult', 'text'])
    for (const value of place === 'text'
      ? [JSON.stringify({ ...facts, agent_role: 'x' })]
      : [facts, JSON.stringify(facts)])
      expect(JSON.stringify(scrubLine({ [place]: value, agentName: 'acme.doe' }))).not.toMatch(/acme|doe|cfo/)
  for (const key of ['sk-live-ABCDEF1234567890', 'ABCDEF1234567890', '9a1b2c3d-7d73-4c06-b330-4c06a9bf2c05'])
    for (const field of [...Object.keys(facts), 'model', 'agent_type'])
      for (const value of [{ [field]: key }, { input: { [field]: key } }])
        expect(JSON.stringify(scrubLine(value))).not.toContain(key)
})

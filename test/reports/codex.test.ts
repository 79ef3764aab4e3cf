import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { foldSessionEvents } from '../../src/core/reducer/reduce.ts'
import { createInitialConversationState } from '../../src/core/state/session.ts'
import {
  branches,
  buildSessionTree,
  ownTokens,
  readTranscript,
  type SessionConversationState,
  sessionStatus,
  totalTokens,
} from '../../src/entries/index.ts'
import { listSessions, readSession } from '../../src/entries/node.ts'
import { detailsOf } from '../../src/node/session-index/session-details.ts'
import { codexSource } from '../../src/wires/codex/source.ts'
import { inNewFolder } from '../node/follow/growing-session.ts'
import { fold as foldText, linesOf as lines, REPORTS, said } from './reports.ts'

const FOLDER = join(REPORTS, 'codex')
const linesOf = (name: string, file = 'session.jsonl') => lines(`codex/${name}/${file}`)
const fold = (all: readonly string[]) => foldText(all.join('\n'))
const read = (name: string, file?: string) => fold(linesOf(name, file))

function resultOf(state: SessionConversationState, id: string) {
  return state.blocks.find((block) => block.id === `${id}:result`)
}

describe('turns that were taken back', () => {
  it('are a branch after a rollback in the file', () => {
    const { state, issues } = read('rolled-back-stored')
    expect(said(state)).toEqual([
      '> Say good morning.',
      'Good morning.',
      '> Only list the bin.',
      'Three files.',
    ])
    expect(branches(state).map(said)).toEqual([
      ['> Empty the bin.', 'Emptied.', '> And the cache.', 'Cleared.'],
    ])
    expect(branches(state)[0]?.blocks.map(({ id }) => id)).toContain('call_0:result')
    expect(issues).toEqual([])
  })

  it('are all turns if the number is greater', () => {
    const lines = linesOf('rolled-back-stored').map((line) => line.replace('"num_turns":2', '"num_turns":9'))
    expect(said(fold(lines).state)).toEqual(['> Only list the bin.', 'Three files.'])
  })

  it('are a branch if the rollback is the last line', () => {
    const lines = linesOf('rolled-back-stored')
    const end = lines.findIndex((line) => line.includes('thread_rolled_back')) + 1
    const { state } = fold(lines.slice(0, end))
    expect(said(state)).toEqual(['> Say good morning.', 'Good morning.'])
    expect(state.blocks.at(-1)).toMatchObject({ type: 'system', subtype: 'rewind' })
    expect(sessionStatus(state)).toBe('finished')
  })

  it('count over an earlier rollback', () => {
    const lines = linesOf('rolled-back-stored')
    const first = lines.find((line) => line.includes('thread_rolled_back')) ?? ''
    const again = first.replace('08:00:27', '08:00:40')
    expect(said(fold([...lines, again]).state)).toEqual([])
    expect(branches(fold([...lines, again]).state)).toHaveLength(2)
    expect(fold([...lines, first]).state).toEqual(fold(lines).state)
  })

  it.each([
    ['with the client', () => true],
    ['without the client', (line: string) => line.includes('"dir":"in"')],
  ])('are a branch live, %s', (_, isSeen) => {
    const { state, issues } = fold(linesOf('reverted-live', 'app-server.ndjson').filter(isSeen))
    expect(said(state)).toEqual(['> Which colour?', 'Blue.', '> Which price?', 'Ten.'])
    expect(branches(state).map(said)).toEqual([['> Which size?', 'Large.']])
    expect(state.usage.map(({ outputTokens }) => outputTokens)).toEqual([5, 5, 5])
    expect(issues).toEqual([])
  })

  it('are several turns if the next tokens show it', () => {
    const lines = linesOf('reverted-live', 'app-server.ndjson').filter((line) => line.includes('"dir":"in"'))
    const last = lines.findLastIndex((line) => line.includes('tokenUsage/updated'))
    const changed = lines.map((line, at) =>
      at === last
        ? line.replace('"totalTokens":110,"inputTokens":100', '"totalTokens":55,"inputTokens":50')
        : line,
    )
    const { state } = fold(changed)
    expect(said(state)).toEqual(['> Which price?', 'Ten.'])
    expect(branches(state).flatMap(said)).toEqual(['> Which size?', 'Large.', '> Which colour?', 'Blue.'])
    expect(state.usage).toHaveLength(3)
  })
})

describe('a command that goes on', () => {
  it('has all output in the result of its call', () => {
    const { state, issues } = read('running-command-polled')
    expect(resultOf(state, 'call_a0')).toMatchObject({
      output: 'compiling a\ncompiling b\nlinked\n',
      status: 'complete',
      exitCode: 0,
    })
    expect(issues).toEqual([])
  })

  it('is an error if its process fails', () => {
    const { state } = read('running-command')
    expect(resultOf(state, 'call_a0')).toMatchObject({ isError: true, exitCode: 1 })
    expect(state.blocks.find(({ id }) => id === 'call_a0')).toMatchObject({ status: 'error' })
  })

  it('runs until its process ends', () => {
    const lines = linesOf('running-command-polled')
    const end = lines.findIndex((line) => line.includes('compiling b')) + 1
    const { events } = readTranscript(lines.slice(0, end).join('\n'))
    const { state } = foldSessionEvents(createInitialConversationState(), events.slice(0, -1))
    expect(resultOf(state, 'call_a0')).toMatchObject({
      status: 'pending',
      output: 'compiling a\ncompiling b\n',
    })
    expect(state.blocks.find(({ id }) => id === 'call_a0')).toMatchObject({ status: 'pending' })
  })

  it('has each answer once, if it comes twice', () => {
    const lines = linesOf('running-command-polled').flatMap((line) =>
      line.includes('function_call_output') ? [line, line] : [line],
    )
    const output = 'compiling a\ncompiling b\nlinked\n'
    expect(resultOf(fold(lines).state, 'call_a0')).toMatchObject({ output, exitCode: 0 })
  })

  it('goes on after each line if the session is opened from its state', () => {
    const messages = linesOf('running-command-polled').map((line): unknown => JSON.parse(line))
    const outputs = ({ blocks }: SessionConversationState) =>
      blocks.flatMap((block) =>
        block.type === 'tool_result' ? [[block.id, block.output, block.exitCode]] : [],
      )
    const whole = codexSource.read(codexSource.open(), messages).session.state
    for (const at of messages.keys()) {
      const { state } = codexSource.read(codexSource.open(), messages.slice(0, at)).session
      const { session } = codexSource.read(codexSource.open(state), messages.slice(at))
      expect(outputs(session.state), `from line ${at}`).toEqual(outputs(whole))
    }
  })

  it('goes on if a call that reads it fails', () => {
    const lines = linesOf('running-command-polled').map((line) =>
      line.includes('compiling b')
        ? line.replace(/"output":".*?"/, '"output":"write_stdin failed: no answer"')
        : line,
    )
    const { state } = fold(lines)
    expect(resultOf(state, 'call_a0')).toMatchObject({ output: 'compiling a\nlinked\n', exitCode: 0 })
    expect(resultOf(state, 'call_b01')).toMatchObject({ isError: true })
  })

  it('keeps its first output if nobody reads the rest', () => {
    const lines = linesOf('running-command-polled').filter((line) => !line.includes('call_b0'))
    expect(resultOf(fold(lines).state, 'call_a0')).toMatchObject({ output: 'compiling a\n', isError: false })
  })

  it('is told from another one that runs at the same time', () => {
    const lines = linesOf('running-command-polled')
    const others = lines
      .filter((line) => /call_[ab]0/.test(line))
      .map((line) =>
        line
          .replace(/call_([ab]\d)/g, 'other_$1')
          .replaceAll('500', '600')
          .replaceAll('compiling', 'testing'),
      )
    const at = lines.findIndex((line) => line.includes('compiling a')) + 1
    const { state } = fold([...lines.slice(0, at), ...others, ...lines.slice(at)])
    expect(resultOf(state, 'call_a0')).toMatchObject({ output: 'compiling a\ncompiling b\nlinked\n' })
    expect(resultOf(state, 'other_a0')).toMatchObject({ output: 'testing a\ntesting b\nlinked\n' })
  })
})

it('a result has the exit code of its command', () => {
  const { state } = read('exit-code', 'exec.ndjson')
  const codes = state.blocks.flatMap((block) => (block.type === 'tool_result' ? [block.exitCode] : []))
  expect(codes).toEqual([1, 137])
})

it.each(['Wall time: 0.2 seconds\\naborted by user', 'aborted by user after 0.7s', 'aborted by user'])(
  'a command that the person cancelled is an error: %s',
  (words) => {
    const lines = linesOf('aborted-command').map((line) =>
      line.replace('Wall time: 0.2 seconds\\naborted by user', words),
    )
    const { state } = fold(lines)
    expect(resultOf(state, 'call_x')).toMatchObject({ status: 'error', isError: true })
    expect(state.blocks.find(({ id }) => id === 'call_x')).toMatchObject({ status: 'error' })
    expect(sessionStatus(state)).toBe('interrupted')
  },
)

const rollout = (...payloads: readonly (readonly [string, object])[]) =>
  fold(
    [['session_meta', { id: 'thread', cwd: '/srv', cli_version: '0.135.0' }] as const, ...payloads].map(
      ([type, payload], at) => JSON.stringify({ timestamp: `2026-10-05T08:00:0${at}.000Z`, type, payload }),
    ),
  )

const entry = (role: string, text: string) =>
  ['response_item', { type: 'message', role, content: [{ type: 'input_text', text }] }] as const
const event = (payload: object) => ['event_msg', payload] as const
const started = event({ type: 'task_started', turn_id: 'turn-1' })

it('a plan among events hides no later text', () => {
  const plan = { type: 'Plan', id: 'plan-1', text: '1. Ask.' }
  const { state, issues } = rollout(
    started,
    entry('user', 'Plan it.'),
    event({ type: 'user_message', message: 'Plan it.' }),
    event({ type: 'item_completed', thread_id: 'thread', turn_id: 'turn-1', item: plan }),
    event({ type: 'agent_message', message: 'Shall I?' }),
    entry('assistant', 'Shall I?'),
    event({ type: 'task_complete', turn_id: 'turn-1', last_agent_message: 'Shall I?' }),
  )
  expect(said(state)).toEqual(['> Plan it.', '1. Ask.', 'Shall I?'])
  expect(issues).toEqual([])
})

it.each([
  ['with turns', [started], [event({ type: 'task_complete', turn_id: 'turn-1' })]],
  ['without turns', [], []],
])('a rollout of entries alone has its messages, %s', (_, before, after) => {
  const { state, issues } = rollout(
    ...before,
    entry('user', '<environment_context>\n</environment_context>'),
    entry('user', 'Say one.'),
    entry('assistant', 'One.'),
    entry('user', 'Say two.'),
    entry('assistant', 'Two.'),
    ...after,
  )
  expect(said(state)).toEqual(['> Say one.', 'One.', '> Say two.', 'Two.'])
  expect(sessionStatus(state)).toBe('finished')
  expect(issues).toEqual([])
})

it.each([
  ['no last text', null, 'failed'],
  ['a last text', 'It works.', 'finished'],
])('a turn of an early version with %s has %s: %s', (_, text, status) => {
  const { state } = rollout(
    started,
    entry('user', 'Try it.'),
    event({ type: 'user_message', message: 'Try it.' }),
    event({ type: 'agent_message', message: 'It works.' }),
    event({ type: 'task_complete', turn_id: 'turn-1', last_agent_message: text }),
  )
  expect(sessionStatus(state)).toBe(status)
})

it('a turn that sums up the conversation has not failed', () => {
  const { state } = rollout(
    started,
    entry('assistant', 'The sum.'),
    ['compacted', { message: 'The sum.' }],
    event({ type: 'task_complete', turn_id: 'turn-1', last_agent_message: null }),
  )
  expect(sessionStatus(state)).toBe('finished')
})

describe('threads on one connection', () => {
  const thread = (id: string, more: object = {}) => ({
    method: 'thread/started',
    params: { thread: { id, ...more } },
  })
  const turn = (threadId: string, id: string, text: string) => [
    { method: 'turn/started', params: { threadId, turn: { id } } },
    {
      method: 'item/completed',
      params: { threadId, turnId: id, item: { type: 'agentMessage', id: `${id}-text`, text } },
    },
    { method: 'turn/completed', params: { threadId, turn: { id, status: 'completed' } } },
  ]
  const live = (...messages: readonly object[]) => fold(messages.map((message) => JSON.stringify(message)))

  it('a temporary thread is part of no session, and no issue', () => {
    const title = thread('title', { ephemeral: true })
    const { state, issues } = live(
      thread('main'),
      ...turn('main', 'a', 'Hello.'),
      title,
      ...turn('title', 'b', '{}'),
    )
    expect(said(state)).toEqual(['Hello.'])
    expect(state.subagents).toEqual([])
    expect(issues).toEqual([])
  })

  it('a side question is part of no session, although it goes on from main', () => {
    const side = thread('side', { ephemeral: true, forkedFromId: 'main' })
    const messages = [
      ...turn('main', 'a', 'Hello.'),
      side,
      ...turn('side', 'b', 'Aside.'),
      ...turn('main', 'c', 'Bye.'),
    ]
    const { state, issues } = live(thread('main'), ...messages)
    expect(said(state)).toEqual(['Hello.', 'Bye.'])
    expect(sessionStatus(state)).toBe('finished')
    expect(issues).toEqual([])
  })

  it('a second main thread is another session, and an issue', () => {
    const messages = [...turn('main', 'a', 'Hello.'), thread('second'), ...turn('second', 'b', 'Other.')]
    const { state, issues } = live(thread('main'), ...messages)
    expect(said(state)).toEqual(['Hello.'])
    expect(state.subagents).toEqual([])
    expect(issues.map(({ code }) => code)).toContain('other-session')
  })

  it('tokens of a fork before its start are no agent', () => {
    const { state } = fold(linesOf('fork-phantom', 'notifications.ndjson'))
    expect(sessionStatus(state)).toBe('finished')
    expect(state.subagents).toEqual([])
  })
})

describe('a compressed rollout', () => {
  const name = 'rollout-2026-10-05T08-00-00-01a30000-0000-7000-8000-00000000c0de.jsonl.zst'
  const path = join(FOLDER, 'compressed', name)

  it.each([path, join(FOLDER, 'compressed')])('is read as the file before it', async (place) => {
    const { state, issues } = await readSession(place)
    expect(state).toEqual(read('running-command').state)
    expect(issues).toEqual([])
  })

  it('is listed', async () => {
    const found = []
    for await (const { id } of listSessions({ roots: [join(FOLDER, 'compressed')] })) found.push(id)
    expect(found).toEqual(['01a30000-0000-7000-8000-00000000c0de'])
  })
})

it('a command that the person ran is a call with its result', () => {
  const words = (code: number) =>
    `<user_shell_command>\n<command>\nmake\n</command>\n<result>\nExit code: ${code}\nDuration: 0.1 seconds\nOutput:\nbuilt\n\n</result>\n</user_shell_command>`
  const { state, issues } = rollout(started, entry('user', words(0)), entry('user', words(6)))
  const shown = state.blocks.map((block) => (block.type === 'tool_result' ? block.exitCode : block.type))
  expect(shown).toEqual(['tool_use', 0, 'tool_use', 6])
  expect(issues).toEqual([])
})

it('an agent that gets a second task has its last report', () => {
  const { state } = read('second-report', 'exec.ndjson')
  expect(state.subagents).toMatchObject([{ status: 'success', output: 'CUPS-4' }])
})

it('a session with a revert is listed once, with the file that goes on', async () => {
  const root = join(FOLDER, '../../interactive/codex-tui/04-backtrack-once/store')
  const found = []
  for await (const { path } of listSessions({ roots: [root] })) found.push(path)
  expect(found).toEqual([expect.stringMatching(/_01a214a9-34b6-7ba2-b75c-2d9704523501\.jsonl$/)])
  const { state } = await readSession(found[0] ?? '')
  expect(said(state)).toContain('> Please list the sources.')
  expect(branches(state).map(said)).toEqual([
    ['> Delete the add function.', 'Deleting add.', 'Add is deleted.'],
  ])
})

const CODEX_FORK = '01a1b2c3-2000-7000-8000-00000000c0de'
const CODEX_PARENT = '01a1b2c3-1000-7000-8000-00000000c0de'

it('a fork that repeats its parent has its own id in a list, and the parent stays', async () => {
  const sessions: unknown[] = []
  for await (const { id, updatedAt } of listSessions({ roots: [join(FOLDER, 'fork-list')] }))
    sessions.push([id, updatedAt])
  expect(sessions).toEqual([
    [CODEX_FORK, '2026-10-06T09:30:01.400Z'],
    [CODEX_PARENT, '2026-10-06T09:00:02.800Z'],
  ])
})

it.each(['', 'rollout-2026-11-20T09-20-00-01a6c0de-0003-7000-8000-00000000c0de.jsonl'])(
  'a fork of a thread that went back has everything before it: %s',
  async (file) => {
    const { state } = await readSession(join(FOLDER, 'fork-after-backtrack/sessions', file))
    expect(state.blocks.map((block) => 'content' in block && block.content)).toEqual([
      ...['Open the barn.', 'It is open.'],
      ...['Count the goats.', 'Six goats.'],
      ...['And the kids?', 'Four kids.'],
    ])
  },
)

it('a thread that agentfold began has the turns that Codex adds in the older form', async () => {
  const { state } = await readSession(join(FOLDER, 'turns-after-handover/sessions'))
  expect(state.blocks.map((block) => 'content' in block && block.content)).toEqual([
    ...['Where is the ladder?', 'Behind the shed.'],
    ...['Bring it here.', 'It stands at the door.'],
  ])
  expect(sessionStatus(state)).toBe('finished')
})

it('the result of an MCP tool has its structured content', async () => {
  const { state } = await readSession(join(FOLDER, 'mcp-structured-content/sessions'))
  const outputs = state.blocks.flatMap((block) =>
    block.type === 'tool_result' ? [JSON.stringify(block.output)] : [],
  )
  expect(outputs[0]).toMatch(/damson.*bullace/)
  expect(outputs[1]).toMatch(/A fine year for pears\..*417.*bushel/)
})

describe('an agent of Codex 0.130', () => {
  it('has its own prompt and texts, and no copies of its parent', async () => {
    const { state, issues } = await readSession(join(FOLDER, 'agent-nickname/sessions'))
    expect(state.subagents.map(said)).toEqual([['> Search the loft.', 'The loft holds a trunk.']])
    expect(state.subagents[0]).toMatchObject({ toolUseId: 'call_va', parentConversationId: 'main' })
    expect(issues).toEqual([])
    expect(ownTokens(buildSessionTree(state))).toMatchObject({ inputTokens: 63_000, outputTokens: 60 })
    expect(totalTokens(buildSessionTree(state))).toMatchObject({ inputTokens: 69_000, outputTokens: 100 })
  })

  it('has its nickname as the name, and its role as the type and the description', async () => {
    const { state } = await readSession(join(FOLDER, 'agent-nickname/sessions'))
    expect(state.subagents.map(({ name, agentType, description }) => [name, agentType, description])).toEqual(
      [['Gauss', 'explorer', 'explorer']],
    )
    expect(state.blocks.find(({ type }) => type === 'subagent')).toMatchObject({ agentType: 'explorer' })
  })

  it('has its role as the name, if nothing states a nickname, and also if it never starts', () => {
    const line = (type: string, payload: object) => ({ timestamp: '2026-03-01T10:00:00.000Z', type, payload })
    const call = { type: 'function_call', name: 'spawn_agent', call_id: 'c1' }
    const lines = [
      line('session_meta', { id: 't', cwd: '/srv/demo', cli_version: '0.130.0' }),
      line('response_item', { ...call, arguments: '{"message":"Look.","agent_type":"explorer"}' }),
    ]
    const outputs = ['{"agent_id":"a1","nickname":null}', 'no such role']
    for (const output of [undefined, ...outputs]) {
      const answer = line('response_item', { type: 'function_call_output', call_id: 'c1', output })
      const { session } = codexSource.read(
        codexSource.open(),
        output === undefined ? lines : [...lines, answer],
      )
      expect(codexSource.end(session).session.state.subagents.map(({ name }) => name)).toEqual(['explorer'])
    }
  })

  it('has its nickname, if its call states no role', async () => {
    const path = join(FOLDER, 'agent-nickname/sessions')
    await inNewFolder(async (folder) => {
      for (const name of readdirSync(path)) {
        const text = readFileSync(join(path, name), 'utf8')
        writeFileSync(join(folder, name), text.replaceAll(/,\\"agent_type\\":\\"explorer\\"/g, ''))
      }
      const { state } = await readSession(folder)
      expect(state.subagents.map(({ name, agentType }) => [name, agentType])).toEqual([['Gauss', '']])
      expect(new Set(detailsOf(state, {}).parts.map(({ agentType }) => agentType))).toEqual(
        new Set(['main', '']),
      )
    })
  })

  it('has its own tokens without a copied history', async () => {
    const { state } = await readSession(join(FOLDER, 'agent-tokens-without-ids/sessions'))
    expect(totalTokens(buildSessionTree(state))).toMatchObject({ inputTokens: 69_000, outputTokens: 100 })
  })
})

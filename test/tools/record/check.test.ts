import { describe, expect, it } from 'vitest'
import { parseTranscript } from '../../../src/entries/index.ts'
import { makeFacts, type RecordingFacts } from '../../../tools/record/make-facts.ts'
import { claudeCode } from '../../../tools/record/programs/claude-code.ts'
import { scenarios } from '../../../tools/record/scenarios.ts'
import { castOf } from '../../../tools/record/server/cast.ts'
import { decide } from '../../../tools/record/server/decide.ts'
import type { LogEntry } from '../../../tools/record/server/log.ts'
import { factDifferences } from '../../facts/check-facts.ts'

const scenario = scenarios(claudeCode).find(({ name }) => name === 'agent')
if (!scenario) throw new Error('no scenario')

/** What the model has answered in the scenario with one agent. */
const log: LogEntry[] = []
const model = { scenario, tools: claudeCode.tools, work: '/demo', cast: castOf(scenario.agents), log }
const [prompt, task] = ['Let an agent look at the notes.', 'Look at notes.md and tell its lines.']

function answer(users: readonly string[], marks: readonly string[], results: LogEntry['results']) {
  const { entry } = decide(model, { model: 'm', streams: true, tools: ['Bash'], users, marks, results })
  log.push(entry)
  return entry
}

const report = 'REPORT-A: there are two lines.'
const start = answer([prompt], [], [])
const read = answer([task], [], [])
answer([task], [read.calls[0]?.id ?? ''], [{ id: read.calls[0]?.id ?? '', text: '# notes\n\nfirst line' }])
answer([prompt], [start.calls[0]?.id ?? ''], [{ id: start.calls[0]?.id ?? '', text: report }])
const facts = makeFacts(claudeCode, '2', scenario, log)

const usage = ({ tokens }: LogEntry) => ({
  input_tokens: tokens.input,
  output_tokens: tokens.output,
  cache_read_input_tokens: tokens.cacheRead,
})

/** The lines that a program writes about the same session. */
function stream(): readonly string[] {
  const call = start.calls[0]?.id
  const line = (value: object) => JSON.stringify({ session_id: 's', ...value })
  const said = (entry: LogEntry, parent: string | null = null) => {
    const { number, think, say, calls } = entry
    const content = [
      ...(think === undefined ? [] : [{ type: 'thinking', thinking: think, signature: 'x' }]),
      { type: 'text', text: say },
      ...calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
    ]
    const message = {
      id: `msg_${number}`,
      type: 'message',
      role: 'assistant',
      model: 'm',
      content,
      stop_reason: 'end_turn',
      usage: usage(entry),
    }
    return line({ type: 'assistant', uuid: `a${number}`, parent_tool_use_id: parent, message })
  }
  const result = (id: string | undefined, text: string, parent: string | null = null) =>
    line({
      type: 'user',
      uuid: `r${id}`,
      parent_tool_use_id: parent,
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: text }] },
    })
  const [first, second, third, fourth] = log
  if (!first || !second || !third || !fourth || call === undefined) throw new Error('the log is short')
  return [
    line({
      type: 'system',
      subtype: 'init',
      uuid: 'i',
      claude_code_version: '2.1.332',
      tools: [],
      model: 'm',
      cwd: '/demo',
    }),
    said(first),
    line({
      type: 'user',
      uuid: 'p',
      parent_tool_use_id: call,
      message: { role: 'user', content: [{ type: 'text', text: task }] },
    }),
    said(second, call),
    result(second.calls[0]?.id, '# notes\n\nfirst line', call),
    said(third, call),
    result(call, report),
    said(fourth),
    line({ type: 'result', subtype: 'success', uuid: 'z', is_error: false, result: 'That is all.' }),
  ]
}

function differences(lines: readonly string[], expected: RecordingFacts = facts): readonly string[] {
  return factDifferences(parseTranscript('claude-sdk', `${lines.join('\n')}\n`), expected, { form: 'stream' })
}

describe('the checker of facts', () => {
  it('finds nothing in a right recording', () => {
    expect(differences(stream())).toEqual([])
  })

  it.each([
    ['a text that is missing', 'I ask an agent.', '', 'main: items'],
    ['other words', 'I read the notes.', 'I read some notes.', 'A: items'],
    ['another input of a call', '/demo/notes.md', '/demo/other.md', 'A: items'],
    ['another name of a tool', '"name":"Read"', '"name":"Look"', 'A: items'],
    ['a result without its words', 'first line', 'line', 'A: result of'],
    ['an agent that failed', `"content":"${report}"`, '"is_error":true,"content":"No."', 'A: status'],
    ['tokens that nobody told', '"input_tokens":431', '"input_tokens":432', 'main: tokens input'],
    ['another agent', '"subagent_type":"general-purpose"', '"subagent_type":"other"', 'A: name'],
    ['a renamed field', '"tool_use_id"', '"toolUseId"', 'A: result of'],
  ])('finds %s', (_, from, to, place) => {
    const planted = stream().map((line) => line.replaceAll(from, to))
    expect(differences(planted).some((difference) => difference.startsWith(place))).toBe(true)
  })

  it('finds a reply that comes twice', () => {
    const [init = '', first = '', ...others] = stream()
    const again = first
      .replaceAll('msg_1', 'msg_1b')
      .replace('"uuid":"a1"', '"uuid":"a1b"')
      .replace(/,\{"type":"tool_use".*?\}\}/, '')
    expect(differences([init, first, again, ...others])).not.toEqual([])
  })

  it('finds a turn without its end', () => {
    expect(differences(stream().slice(0, -2)).some((each) => each.startsWith('main: items'))).toBe(true)
  })
})

it('names the requests that a program makes for itself', () => {
  const own = [...log, { ...start, number: 9, own: 'title' as const, agent: '' }]
  expect(makeFacts(claudeCode, '2', scenario, own).own).toMatchObject([{ purpose: 'title' }])
})

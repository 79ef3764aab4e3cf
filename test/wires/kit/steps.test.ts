import { expect, it } from 'vitest'
import { isObject } from '../../../src/core/json/values.ts'
import { createInitialConversationState, MAIN } from '../../../src/core/state/session.ts'
import type { SessionConversationState } from '../../../src/entries/index.ts'
import { TranslationContext } from '../../../src/reading/context.ts'
import { conversationOf } from '../../../src/wires/kit/steps/agents.ts'
import { isMark, showStep } from '../../../src/wires/kit/steps/show-step.ts'
import { type ReplyPart, type Step, stepNotes } from '../../../src/wires/kit/steps/step.ts'

const NOTES = stepNotes('steps')
const DAY = '2026-01-01T00:00:0'
const AGENTS = [{ prompt: 'Look.', name: 'scout', description: 'Looks' }, { prompt: 'Help.' }]

/** Reads a step: its type, its words in order, further fields as JSON, and its second. `a> ` in front of it names an agent. */
function stepOf(line: string): { readonly conversationId: string; readonly step: Step } {
  const [, conversationId = MAIN, type = '', rest = ''] = /^(?:(\S+)> )?(\w+) ?(.*)$/.exec(line.trim()) ?? []
  const words = rest.split(' ').filter((word) => word !== '')
  const [first = '', second] = words.filter((word) => !/^@|=/.test(word))
  const fields = Object.fromEntries(
    words.flatMap((word) => {
      const [, name = 'time', value = `"${DAY}${word.slice(1)}.000Z"`] = /^(\w+)=(.*)$/.exec(word) ?? []
      return /^@|=/.test(word) ? [[name, JSON.parse(value)]] : []
    }),
  )
  const id = first === '-' ? undefined : first
  return { conversationId, step: Object.assign(Object.create(null), { type, ...ownFields(), ...fields }) }

  function ownFields() {
    switch (type) {
      case 'prompt':
        return { id, content: 'Go.' }
      case 'reply':
        return {
          id,
          parts: words
            .filter((word) => !/^@|=/.test(word))
            .slice(1)
            .map(partOf),
        }
      case 'result':
        return { callId: id, output: second, isError: false, todos: todosOf, changes: changesOf }
      case 'stop':
        return { outcome: first, id: second, message: 'Stop.' }
      default:
        return { id, name: first, subtype: 'retry', message: second, summary: second, ends: first }
    }
  }
}

/** Reads a part: `-` is before a thought, `!` before a call, and behind it the number of its agents. */
function partOf(word: string): ReplyPart {
  const [, mark, words = '', count = 0] = /^([!-]?)([^+]*)\+?(\d?)$/.exec(word) ?? []
  if (mark !== '!') return { type: mark === '-' ? 'thinking' : 'text', text: words }
  return { type: 'call', id: words, name: words, input: undefined, agents: AGENTS.slice(0, Number(count)) }
}

const todosOf = (name: string, input: object) =>
  name === 'plan' ? [{ id: 't', text: JSON.stringify(input), status: 'pending' }] : undefined
const changesOf = (name: string) =>
  name === 'plan' ? [{ path: 'a', kind: 'edit', added: 1, removed: 0 }] : undefined

/** Shows each step so many times. */
function run(steps: string, times = 1) {
  const state = createInitialConversationState()
  const context = new TranslationContext({ state, notes: NOTES.initial })
  for (const { conversationId, step } of steps.split('|').map(stepOf))
    for (let count = 0; count < times; count += 1) showStep(conversationId, step, context)
  return context
}

/** Returns the values of the turn, the facts, and the blocks, tokens and plan of each conversation. An agent has most fields of its block. */
function shownOf(state: SessionConversationState): string {
  const threads = [state, ...state.subagents].flatMap((thread) => {
    const { blocks, usage, todos = [] } = thread
    const agent = 'toolUseId' in thread ? ['agent', { ...thread, blocks: '', usage: '', todos: '' }] : []
    const parts = blocks.map((block) =>
      block.type === 'subagent'
        ? [block.id, block.status, block.messageId, block.timestamp]
        : { ...block, conversationId: '' },
    )
    return [agent, ...parts, ...usage, ...todos]
  })
  return [['turn', state.turn], state.session, ...threads]
    .map(wordsOf)
    .filter((words) => words !== '')
    .join(' | ')
}

function wordsOf(value: unknown): string {
  if (Array.isArray(value) || isObject(value))
    return Object.values(value)
      .map(wordsOf)
      .filter((words) => words !== '' && words !== MAIN)
      .join(' ')
  return value === undefined
    ? ''
    : String(value).replace(DAY, '@').replace('.000Z', '').replaceAll(/\s/g, '_')
}

/** The name of a case, its steps, and the session that they show. */
const CASES = `
a turn with a call: prompt p @1 | reply m -Hm. Well. !c @2 model="a" usage={"inputTokens":1} | result c out @3 exitCode=0 | reply n Done.
@4 model="b"
=> turn finished @1 @4 3000 | b | user_message p complete Go. @1 | m:0 thinking complete Hm. m @2 a | m:1 assistant_text complete Well. m
@2 a | c tool_use complete c c m @2 | c:result tool_result complete c out false 0 @3 | n:0 assistant_text complete Done. n @4 b | m true a
1

facts and tokens of the session: facts facts={"cwd":"/d"} usage={"inputTokens":1} | a> facts facts={"cwd":"/e"} usage={"inputTokens":2} |
a> reply m !c model="a" | a> prompt p | a> result c | a> reply n A. isPart=true @1
=> turn idle | /d | session true 1 | agent a running | c tool_use complete c c m | user_message p complete Go. | c:result tool_result
complete c false | n:0 assistant_text complete A. n @1 | session true 2

marks with an id and without one: note - First. | prompt p origin="meta" isAnswered=true | note - Again. @1 | compaction - All. @2 | note n More. | compaction k
=> turn running | system complete :note retry First. | user_message p complete Go. meta | system complete p:note retry Again. @1 | system
complete compaction Conversation_compacted p:compaction @2 | user_message p:compaction:summary complete All. summary @2 | system complete
n retry More. | system complete compaction Conversation_compacted k

an agent that is its call: prompt p | reply m !c+1 @1 | c> prompt q | c> reply n !d @2 | c> result d @2 | c> reply o A. -Hm. B. @3 | c>
reply r More. @4
=> turn running @1 | user_message p complete Go. | subagent:c success m @1 | agent c success Look. scout Looks A._B. | user_message q
complete Go. | d tool_use complete d d n @2 | d:result tool_result complete d false @2 | o:0 assistant_text complete A. o @3 | o:1
thinking complete Hm. o @3 | o:2 assistant_text complete B. o @3 | r:0 assistant_text complete More. r @4

agents that end alone: reply m !c+2 | result c Launched. agents={"isLaunch":true,"ids":["x","y"]} | agents agentId="y"
ends=[{"isError":false,"output":"Y."},{"isError":true,"output":"Z."}] @3 | agents agentId="z" ends=[{"isError":false}] | agents stopped
agentId="z" | agents stopped
=> turn running | c tool_use complete c c m | subagent:c:0 error | subagent:c:1 success | c:result tool_result complete c Launched. false
| agent c:0 error Look. scout Looks c x | agent c:1 success Help. c y Y.

an agent that is stopped: reply m !c+2 | result c agents={"isLaunch":true,"ids":["x","x"]} | agents stopped agentId="x" @3
=> turn running | c tool_use complete c c m | subagent:c:0 error | subagent:c:1 running | c:result tool_result complete c false | agent
c:0 error Look. scout Looks c x | agent c:1 running Help. c

agents that end by their prompts, in order: reply m !c+2 | agents
ends=[{"isError":false,"prompt":"Help","output":"H."},{"isError":true,"prompt":"Help","output":"N."},{"isError":false,"output":"O."}] @3
=> turn running | c tool_use pending c c m | subagent:c:0 error | subagent:c:1 success | agent c:0 error Look. scout Looks c N. | agent
c:1 success Help. c H.

a result of an agent that has ended, behind the turn: prompt p @1 | reply m !c+1 | c> reply n Seen. | stop finished @2 | result c Seen. @3
=> turn finished @1 @2 1000 | user_message p complete Go. @1 | subagent:c success m | agent c success Look. scout Looks Seen. | n:0
assistant_text complete Seen. n

results without ids, in the order of the calls: reply m !c !d @2 | reply n !e @4 | result - old @1 | result - one @3 | result - two @3 |
result - two @4 | result - one @4
=> turn running @2 | c tool_use complete c c m @2 | d tool_use complete d d m @2 | e tool_use complete e e n @4 | c:result tool_result
complete c one false @3 | d:result tool_result complete d two false @3 | e:result tool_result complete e two false @4

results without ids of agents: reply m !c+1 !d+2 !e+1 @2 | result - one isError=true @3 | result - two
agents={"isLaunch":true,"ids":["x","y"]} @3 | result - again agents={"isLaunch":true,"ids":["z","y"]} @3 | result - three @3 | result -
four @3
=> turn running @2 | subagent:c error m @2 | d tool_use complete d d m @2 | subagent:d:0 running @2 | subagent:d:1 running @2 | subagent:e
success m @2 | d:result tool_result complete d two false @3 | agent c error Look. scout Looks one | agent d:0 running Look. scout Looks d
x | agent d:1 running Help. d y | agent e success Look. scout Looks three

results of calls that are not known: result c output={"a":1} | result d
=> turn running | c:result tool_result complete c 1 false | d:result tool_result complete d false

the plan and the changes of a call: facts facts={"cwd":"/d"} | reply m !plan !ls | result plan | result ls | reply n !plan | result plan
isError=true
=> turn running | /d | plan tool_use complete plan plan m | ls tool_use complete ls ls m | tool_result plan:result complete plan false
/d/a edit 1 0 | ls:result tool_result complete ls false | plan@n tool_use error plan plan@n n | plan@n:result tool_result error plan@n
true | t {} pending

a message in parts: prompt p | reply m A. isPart=true @1 | reply m B. isPart=true @1 | reply m -A. isPart=true @1 | reply m A. !c
isPart=true @1 | reply m !c !d isPart=true @1 | a> reply m A. isPart=true | reply n usage={"inputTokens":1}
=> turn finished @1 | user_message p complete Go. | m:0 assistant_text complete A. m @1 | m:1 assistant_text complete B. m @1 | m:2
thinking complete A. m @1 | c tool_use complete c c m @1 | d tool_use complete d d m @1 | n true 1 | agent a running | m:0 assistant_text
complete A. m

a call with an id of an earlier message: reply m !c | result c one | reply n !c isPart=true | reply n !c isPart=true | result c two |
reply o !d+1 isPart=true | reply o !d+1 isPart=true | result d Seen. | reply r !d+1 | result d Again.
=> turn running | c tool_use complete c c m | c:result tool_result complete c one false | c@n tool_use complete c c@n n | c@n:result
tool_result complete c@n two false | subagent:d success o | subagent:d@r success r | agent d success Look. scout Looks Seen. | agent d@r
success Look. scout Looks Again.

stops without a turn: stop finished | stop failed @1 | stop interrupted @2
=> turn failed @1 @1 0 Stop. | error complete :stop Stop. @1

stops behind an answer: prompt p @1 | reply m On. goesOn=true | stop finished @2 | reply n Done. @3 | stop failed | stop interrupted s @4
| prompt q origin="meta" | stop finished t
=> turn interrupted @3 @3 0 | user_message p complete Go. @1 | m:0 assistant_text complete On. m | n:0 assistant_text complete Done. n @3
| system complete interruption s Stop. @4 | user_message q complete Go. meta

stops of agents: prompt p | reply m !a+1 !b+1 !c+1 | a> stop failed @1 | b> stop finished @2 | b> stop finished @3 | c> stop interrupted s
| c> stop finished
=> turn running | user_message p complete Go. | subagent:a error m | subagent:b success m | subagent:c error m | agent a error Look. scout
Looks | error complete m:stop Stop. @1 | agent b success Look. scout Looks | agent c error Look. scout Looks | system complete
interruption s Stop.
`
  .trim()
  .split('\n\n')
  .map((lines) => lines.replaceAll('\n', ' ').split(/: (?=\w+ )| => /))
  .map(([name = '', steps = '', shown = '']) => ({ name, steps, shown }))

it.each(CASES)('shows $name', ({ steps, shown }) => {
  expect(shownOf(run(steps).finish().session.state)).toBe(shown)
})

it('shows a step that comes again once, but a result without an id whose call is an agent: no block has it', () => {
  const eventsOf = (steps: string, times: number) => JSON.stringify(run(steps, times).finish().events)
  const doubled = CASES.filter(({ steps }) => eventsOf(steps, 2) !== eventsOf(steps, 1))
  expect(doubled.map(({ name }) => name)).toEqual(['results without ids of agents'])
})

it('reports a step that no rule knows', () => {
  expect(run('unknown odd').finish().issues).toEqual([
    { code: 'unknown-block', count: 1, messageType: 'odd' },
  ])
})

it('finds the call of an agent by its id, by the call that its file names, or by its prompt', () => {
  const context = run('reply m !c+1 !d+2 !e+1')
  const find = (agentId: string, callId?: string, firstPrompt?: string) =>
    conversationOf(agentId, { callId, firstPrompt }, context)
  expect([find('x', 'e'), find('x'), find('y', 'e'), find('y', 'f', 'Help. Please.')]).toEqual([
    'e',
    'e',
    undefined,
    'd:1',
  ])
  expect([find('z', 'e', 'Look.'), find('w', undefined, 'Look.'), find('v', undefined, 'Look.')]).toEqual([
    'c',
    'd:0',
    undefined,
  ])
  expect(context.state.agents().map(({ agentId }) => agentId)).toEqual(['z', 'w', 'y', 'x'])
})

it('knows its marks', () => {
  const ids = ['p:note', 'p:stop', 'p:compaction', 'p:compaction:summary', 'p', 'p:note:1', 'p:summary']
  expect(ids.filter(isMark)).toEqual(ids.slice(0, 4))
})

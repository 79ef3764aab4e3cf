import {
  child,
  completed,
  failed,
  idleEvents,
  type Message,
  main,
  pending,
  prompt,
  running,
  SessionEvents,
  subagentTurn,
  taskOutput,
  taskTarget,
  tokens,
  withEventIds,
} from '../messages.ts'

const ABORTED = { name: 'MessageAbortedError', data: { message: 'Aborted' } }
const OVERLOADED = { name: 'APIError', data: { message: 'overloaded' } }
const figures = (input: number, cost = 0): Message => ({ tokens: tokens(input, 5), cost })

/** The end of a step and its message, and the session's cost so far. */
const end = (id: string, parentID: string, fields: Message = {}, cost?: number): readonly Message[] => [
  main.stepFinish(id, `prt_${id.slice(4)}9`, {
    ...figures(10, cost === undefined ? 0 : 0.5),
    reason: fields.finish ?? 'stop',
  }),
  main.assistantEnd(id, { parentID, ...figures(10), ...fields }),
  ...(cost === undefined
    ? []
    : [main.updated({ cost, time: { created: 1000, updated: 1000 + 1000 * cost } })]),
]
const begin = (id: string, parentID: string): readonly Message[] => [
  main.assistantStart(id, { parentID }),
  main.stepStart(id, `prt_${id.slice(4)}0`),
]
/** A text that arrives in pieces. */
const streamed = (id: string, part: string, text: string): readonly Message[] => [
  main.textStart(id, part),
  ...(text.match(/.{1,5}/gs) ?? []).map((piece) => main.delta(id, part, piece)),
  main.wholeText(id, part, text),
]
const answerTo = (parentID: string, id: string, cost?: number): readonly Message[] => [
  ...begin(id, parentID),
  ...streamed(id, `prt_${id.slice(4)}1`, `This is the answer ${id} to ${parentID}.`),
  ...end(id, parentID, {}, cost),
  ...idleEvents(),
]
const ask = (id: string, text: string): readonly Message[] => [
  main.user(id),
  main.userText(id, `prt_${id.slice(4)}1`, text),
]
/** The times of a call, by its part. */
const time = (part: string): Message => ({ time: { start: Number(part.slice(4)), end: 5000 } })
const second = new SessionEvents('ses_zwei', 'ses_main')

/** Sessions with the events that make a join hard, by name. The ids of messages and parts ascend. */
export const sessions: Readonly<Record<string, readonly Message[]>> = {
  'a prompt with attachments': [
    ...prompt,
    main.userFile('msg_01', 'prt_02', 'image/png', 'data:image/png;base64,iVBORw=='),
    main.userText('msg_01', 'prt_03', 'And this.'),
    main.userText('msg_01', 'prt_04', 'Called the Read tool.', { synthetic: true }),
    main.userFile('msg_01', 'prt_05', 'text/plain', 'file:///a.txt', { filename: 'a.txt' }),
    ...answerTo('msg_01', 'msg_02'),
    ...ask('msg_03', 'Next.'),
    ...answerTo('msg_03', 'msg_04'),
    main.user('msg_03'),
  ],
  'a dropped connection': [
    ...prompt,
    ...begin('msg_02', 'msg_01'),
    main.textStart('msg_02', 'prt_021'),
    main.delta('msg_02', 'prt_021', 'This will be dropped.'),
    main.status({ type: 'retry', attempt: 1, message: 'lost', next: 5000 }),
    main.stepStart('msg_02', 'prt_022'),
    ...streamed('msg_02', 'prt_023', 'This is the second try.'),
    ...end('msg_02', 'msg_01'),
    ...idleEvents(),
  ],
  'a revert': [
    ...prompt,
    ...answerTo('msg_01', 'msg_02'),
    ...ask('msg_03', 'Wrong.'),
    ...begin('msg_04', 'msg_03'),
    main.tool('msg_04', 'prt_041', pending),
    main.tool('msg_04', 'prt_041', completed('x')),
    main.assistantEnd('msg_04', { parentID: 'msg_03', finish: 'tool-calls' }),
    ...idleEvents(),
    main.updated({ revert: { messageID: 'msg_03' }, time: { created: 1000, updated: 1001 } }),
    main.removed('msg_03'),
    main.removed('msg_04'),
    main.updated({ time: { created: 1000, updated: 1002 } }),
    ...ask('msg_05', 'Right.'),
    ...answerTo('msg_05', 'msg_06'),
  ],
  'aborted twice': [
    ...prompt,
    ...begin('msg_02', 'msg_01'),
    main.textStart('msg_02', 'prt_021'),
    main.delta('msg_02', 'prt_021', 'Cut here.'),
    main.failed(ABORTED),
    ...idleEvents(),
    main.wholeText('msg_02', 'prt_021', 'Cut here.'),
    main.assistantEnd('msg_02', { parentID: 'msg_01', error: ABORTED }),
    ...idleEvents(),
    ...ask('msg_03', 'Again.'),
    main.assistantStart('msg_04', { parentID: 'msg_03' }),
    main.failed(ABORTED),
    ...idleEvents(),
    main.assistantEnd('msg_04', { parentID: 'msg_03', error: ABORTED }),
    ...idleEvents(),
    ...ask('msg_05', 'Once more.'),
    main.failed(OVERLOADED),
    ...idleEvents(),
    ...ask('msg_06', 'Now.'),
    ...answerTo('msg_06', 'msg_07'),
  ],
  'calls with output that grows, and one id twice': [
    ...prompt,
    ...begin('msg_02', 'msg_01'),
    ...['prt_021', 'prt_022'].flatMap((part) => [
      main.tool('msg_02', part, pending, { callID: 'call-x' }),
      main.tool('msg_02', part, running(time(part)), { callID: 'call-x' }),
      main.tool('msg_02', part, running({ ...time(part), metadata: { output: 'one\n' } }), {
        callID: 'call-x',
      }),
      main.tool('msg_02', part, running({ ...time(part), metadata: { output: 'one\ntwo\n' } }), {
        callID: 'call-x',
      }),
      main.tool('msg_02', part, completed(`one\ntwo\n${part}`, time(part)), { callID: 'call-x' }),
    ]),
    ...end('msg_02', 'msg_01', { finish: 'tool-calls' }),
    ...begin('msg_03', 'msg_01'),
    main.tool('msg_03', 'prt_031', pending, { callID: 'call-x' }),
    main.tool('msg_03', 'prt_031', failed('no'), { callID: 'call-x' }),
    ...end('msg_03', 'msg_01', { finish: 'tool-calls' }),
    ...answerTo('msg_01', 'msg_04'),
  ],
  'requests and a task with wrong arguments': [
    ...prompt,
    ...begin('msg_02', 'msg_01'),
    main.tool('msg_02', 'prt_021', running()),
    main.event('permission.asked', { id: 'per_1', permission: 'bash', patterns: ['ls'] }),
    main.event('permission.replied', { requestID: 'per_1', reply: 'once' }),
    main.tool('msg_02', 'prt_021', completed('a')),
    main.task('msg_02', 'prt_022', pending),
    main.tool('msg_02', 'prt_022', completed('Wrong.'), { tool: 'invalid', callID: 'prt_022' }),
    main.event('question.asked', { id: 'que_1', questions: [{ question: 'Sure?' }] }),
    main.event('question.replied', { requestID: 'que_1', answers: [['yes']] }),
    ...end('msg_02', 'msg_01', { finish: 'tool-calls' }),
    ...answerTo('msg_01', 'msg_03'),
  ],
  'subagents with cost, one of them resumed': [
    ...prompt,
    main.assistantStart('msg_10', { parentID: 'msg_01' }),
    main.task('msg_10', 'call-1', pending),
    child.created(),
    main.task('msg_10', 'call-1', running(taskTarget(child.id))),
    ...subagentTurn(child, 'The report.'),
    main.task('msg_10', 'call-1', completed(taskOutput(child.id, 'The report.'), taskTarget(child.id))),
    main.assistantEnd('msg_10', { parentID: 'msg_01', finish: 'tool-calls', ...figures(3) }),
    main.assistantStart('msg_20', { parentID: 'msg_01' }),
    main.task('msg_20', 'call-2', pending),
    main.task('msg_20', 'call-2', running(taskTarget(child.id, { prompt: 'Go on.', task_id: child.id }))),
    ...subagentTurn(child, 'The second report.', '-2'),
    main.task(
      'msg_20',
      'call-2',
      completed(
        taskOutput(child.id, 'The second report.'),
        taskTarget(child.id, { prompt: 'Go on.', task_id: child.id }),
      ),
    ),
    main.task('msg_20', 'call-3', pending),
    second.created(),
    main.task('msg_20', 'call-3', running(taskTarget(second.id))),
    ...subagentTurn(second, 'Of the other one.'),
    main.task('msg_20', 'call-3', failed('The subagent failed.', taskTarget(second.id))),
    main.assistantEnd('msg_20', { parentID: 'msg_01', finish: 'tool-calls', ...figures(3) }),
    ...answerTo('msg_01', 'msg_30'),
  ],
  'the cost of one session': [
    ...prompt,
    ...answerTo('msg_01', 'msg_02', 0.5),
    ...ask('msg_03', 'Next.'),
    ...answerTo('msg_03', 'msg_04', 1),
  ],
}

/** Returns the events of a session with their ids. */
export const eventsOf = (name: string): readonly Message[] => withEventIds(sessions[name] ?? [])

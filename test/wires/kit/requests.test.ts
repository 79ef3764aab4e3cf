import { expect, it } from 'vitest'
import type { RequestAnswer } from '../../../src/core/state/request.ts'
import { createInitialConversationState, MAIN } from '../../../src/core/state/session.ts'
import { TranslationContext } from '../../../src/reading/context.ts'
import { declareNotes } from '../../../src/reading/notes/notes.ts'
import { noteBlock } from '../../../src/wires/kit/blocks.ts'
import {
  chosenLabels,
  chosenOption,
  controlReply,
  type PersonDecision,
} from '../../../src/wires/kit/request-reply.ts'
import {
  completeRequest,
  isKnownRequest,
  labelsOfAnswers,
  permissionTitle,
  questionFacts,
  type Request,
  readQuestions,
  requestIdOf,
  rpcBlockId,
  rpcIdOf,
  storeRequest,
  tracedRequest,
  withdrawEarlier,
  withdrawRequests,
} from '../../../src/wires/kit/requests.ts'

const NOTES = declareNotes({ source: 'kit', version: 1 }, {})
const KIND = { type: 'request', kind: 'permission', title: 'ls' } as const
const ASK: Request = { ...KIND, id: 'q', status: 'pending', conversationId: MAIN, toolUseId: 'c' }

type Act = (context: TranslationContext<object>) => unknown

/** Returns the types of the events of an action in a session with a request. */
function eventsOf(isCut: boolean, act: Act): readonly string[] {
  const [before = [], after = []] = [() => {}, act].map((each: Act) => {
    const context = new TranslationContext({ state: createInitialConversationState(), notes: NOTES.initial })
    context.turn.start()
    storeRequest(ASK, context)
    if (isCut) context.endInput()
    each(context)
    return context.finish().events
  })
  return after.slice(before.length).map(({ type }) => type)
}

it('a request that is asked again after a cut continues its conversation', () => {
  const isKnown =
    (id: string, is: boolean): Act =>
    (context) =>
      expect(isKnownRequest(MAIN, id, context)).toBe(is)
  const store: Act = (context) => storeRequest(ASK, context)
  const acts = [isKnown('q', true), isKnown('r', false), store]
  expect(acts.map((act) => eventsOf(false, act))).toEqual([[], [], ['block:upsert']])
  expect(acts.map((act) => eventsOf(true, act))).toEqual([['session:running'], [], ['block:upsert']])
})

it('a request that is over changes only with an answer, and is withdrawn once', () => {
  const note = noteBlock({ id: 'n', subtype: 'retry', message: 'again' }, 'pending')
  const answer: Act = (context) => completeRequest(ASK, { answer: 'allow' }, context)
  const withdraw: Act = (context) => withdrawRequests(MAIN, 'c', context)
  const replace: Act = (context) => withdrawEarlier(MAIN, 'q', context)
  const show: Act = (context) => context.upsert(MAIN, note)
  const keep: Act = (context) => withdrawEarlier(MAIN, 'n', context)
  const once = [
    [answer, answer],
    [answer, withdraw],
    [answer, replace],
    [withdraw, withdraw],
    [replace, replace],
    [show, keep],
  ]
  const count = (acts: readonly Act[]) => eventsOf(false, (context) => acts.map((act) => act(context))).length
  expect(once.map(count)).toEqual([1, 1, 1, 1, 1, 1])
  expect(count([withdraw, answer])).toBe(2)
})

it('a request of JSON-RPC has the id of a known one if it comes again in its process', () => {
  const context = new TranslationContext({ state: createInitialConversationState(), notes: NOTES.initial })
  const idOf = (data: object, { asked = [] as readonly string[], isRepeated = false } = {}) =>
    rpcBlockId(
      { conversationId: MAIN, place: 'c', requestId: '7', data: { ...data } },
      { askedIds: { get: (id) => (asked.includes(id) ? true : undefined) }, isRepeated },
      context,
    )
  const first = { id: 'c:request:7', isFirst: true }
  const next = { id: 'c:2:request:7', isFirst: false }
  expect(idOf({ a: 1 })).toEqual(first)
  context.upsert(MAIN, { ...ASK, id: first.id, data: { a: 1 } })
  expect([idOf({ a: 1 }), idOf({ a: 2 }), idOf({ a: 2 }, { isRepeated: true })]).toEqual([first, next, next])
  withdrawEarlier(MAIN, first.id, context)
  const facts = [{}, { isRepeated: true }, { asked: [first.id] }]
  expect(facts.map((each) => idOf({ a: 1 }, each))).toEqual([next, first, first])
  expect([first, next].map(({ id }) => requestIdOf(id))).toEqual(['7', '7'])
  expect([7, 'a', {}].map(rpcIdOf)).toEqual(['7', 'a', undefined])
})

it('reads questions, their options and the answers of a person', () => {
  const given = ['A', { label: 'B', description: 'Bee' }, { label: 1 }, 2]
  const [one, many] = readQuestions([
    { question: 'Which?', options: given, multiSelect: true },
    { options: 'none', multi_select: true, multiSelect: 1 },
  ])
  const options = [
    { id: 'A', label: 'A' },
    { id: 'B', label: 'B', description: 'Bee' },
  ]
  expect([one, many]).toEqual([
    { text: 'Which?', options, multiple: true },
    { text: '', options: [], multiple: true },
  ])
  expect(readQuestions([{ multiSelect: false, multi_select: 'true' }])).toEqual([{ text: '', options: [] }])
  if (!one || !many) throw new Error('no questions')
  const facts = (...questions: (typeof one)[]) => questionFacts(questions, { fallbackTitle: 'Asks' })
  expect(facts()).toEqual({ kind: 'question', title: 'Asks', questions: [] })
  expect(facts(one)).toEqual({ kind: 'question', title: 'Which?', options, questions: [one] })
  expect(facts(one, many)).toEqual({ kind: 'question', title: 'Which?', questions: [one, many] })
  const answers = (...given: readonly unknown[]) => labelsOfAnswers([one, many], (_, at) => given[at])
  expect([answers('A'), answers(undefined, ['B', 1]), answers([], {})]).toEqual([
    [['A'], []],
    [[], ['B']],
    undefined,
  ])
  expect(labelsOfAnswers(undefined, () => 'A')).toBeUndefined()
  expect([permissionTitle('Bash', 'ls'), permissionTitle('Bash', undefined)]).toEqual(['Bash: ls', 'Bash'])
  const traced = tracedRequest({ toolUseId: 'c', kind: 'question', title: 'Which?' })
  expect(traced).toMatchObject({ type: 'request', status: 'complete', id: 'c:request' })
})

const OPTIONS = [
  { id: 'a', label: 'Allow' },
  { id: 'Allow', label: 'Always' },
]
const QUESTIONS = [
  { text: 'Which?', options: OPTIONS },
  { text: 'Why?', options: [] },
]
const decided = (request: Partial<Request>, decision: PersonDecision) => ({
  ...{ request: { ...ASK, ...request }, decision, state: createInitialConversationState() },
})

const wrongAnswer = (words: string) =>
  expect.objectContaining({ name: 'RequestError', code: 'wrong-answer', message: `q: ${words}` })

it.each<[request: Partial<Request>, decision: PersonDecision, chosen: string | undefined]>([
  [{ options: OPTIONS }, { answer: [['a']] }, 'a'],
  [{ options: OPTIONS }, { answer: [['a'], ['Allow']] }, undefined],
  [{ options: OPTIONS }, { answer: 'Always' }, undefined],
  [{ options: OPTIONS, kind: 'question' }, { answer: 'Always' }, 'Allow'],
  [{ options: OPTIONS }, { denied: true }, undefined],
  [{ options: [...OPTIONS, { id: 'no', label: 'No' }] }, { denied: true }, 'no'],
  [{ options: OPTIONS }, { denied: true, answer: 'a' }, 'a'],
  [{}, { answer: 'own' }, 'own'],
  [{}, { denied: true }, 'no'],
  [{}, {}, undefined],
])('the option for %j and %j is %s', (request, decision, chosen) => {
  const choose = () => chosenOption(decided(request, decision), 'no')
  if (chosen !== undefined) return expect(choose()).toBe(chosen)
  const ids = request.options?.map(({ id }) => id).join(', ') ?? 'the options of the program'
  return expect(choose).toThrow(wrongAnswer(`pass one of ${ids}`))
})

it.each<[questions: Request['questions'], answer: RequestAnswer | undefined, labels: unknown]>([
  [undefined, 'a', [['Allow']]],
  [QUESTIONS, [['a', 'Allow'], ['Because.']], [['Allow', 'Allow'], ['Because.']]],
  [QUESTIONS, 'a', undefined],
  [[{ text: 'Which?', options: OPTIONS }], undefined, undefined],
])('the labels for %j and %j are %j', (questions, answer, labels) => {
  const choose = () =>
    chosenLabels(decided({ options: OPTIONS, ...(questions && { questions }) }, answer ? { answer } : {}))
  if (labels) expect(choose()).toEqual(labels)
  else expect(choose).toThrow(wrongAnswer(`pass the labels of ${questions?.length} questions`))
})

it('a line to the standard input has the decision of the person', () => {
  const responseOf = (request: Partial<Request>, decision: PersonDecision) =>
    controlReply(decided(request, decision), () => ({ a: 1 }))
  const reply = (response: object) => ({
    type: 'message',
    message: { type: 'control_response', response: { subtype: 'success', request_id: 'q', response } },
  })
  const question = { kind: 'question', questions: QUESTIONS } as const
  expect(responseOf({}, { answer: 'allow' })).toEqual(reply({ behavior: 'allow', updatedInput: { a: 1 } }))
  expect(responseOf({}, { answer: 'deny' })).toEqual(
    reply({ behavior: 'deny', message: 'The user refused.' }),
  )
  expect(responseOf(question, { denied: true, comment: 'No.' })).toEqual(
    reply({ behavior: 'deny', message: 'No.' }),
  )
  expect(responseOf(question, { answer: [['a', 'b'], []] })).toEqual(
    reply({ behavior: 'allow', updatedInput: { a: 1, answers: { 'Which?': 'Allow, b', 'Why?': '' } } }),
  )
})

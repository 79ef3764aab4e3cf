import {
  createContext,
  createElement,
  type FormEvent,
  type ReactElement,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { asObject, asString, isObject, isString } from '../../core/json/values.ts'
import type { PendingRequest } from '../../core/selectors/requests.ts'
import type { ConversationBlock } from '../../core/state/block.ts'
import { isRefusal, type RequestOption, type RequestQuestion } from '../../core/state/request.ts'
import type { PersonAnswer } from '../../server/hub/answered-request.ts'
import type { HubSessionSummary } from '../../server/hub/session-summary.ts'
import type { HubConnection, SessionView } from '../connect/hub-connection.ts'
import type { ConnectionStatus } from '../connect/message-stream.ts'
import { isSameRequest, useSessionContext } from './context.ts'
import { useBlock, useToolCall } from './hooks.ts'

const HubContext = /* @__PURE__ */ createContext<HubConnection | null>(null)

/** The hub for the components inside the provider. */
export interface HubProviderProps {
  /** The result of `connectHub`. Make it once, outside a component. */
  readonly hub: HubConnection
  readonly children?: ReactNode
}

/** Provides the sessions of a hub to the components inside it. */
export function HubProvider({ hub, children }: HubProviderProps): ReactElement {
  return createElement(HubContext.Provider, { value: hub }, children)
}

function useHub(): HubConnection {
  const hub = useContext(HubContext)
  if (!hub) throw new Error('no hub: put a <HubProvider hub={…}> above this component')
  return hub
}

/**
 * Follows a session of the hub while the component is shown, and returns its store with its status, and the reason of a
 * refusal. Pass the store to a `SessionProvider`. The component renders again when the status changes. Throws an `Error` outside a
 * `HubProvider`.
 */
export function useHubSession(id: string): SessionView {
  const hub = useHub()
  const subscribe = useCallback(
    (listener: () => void) => {
      const session = hub.session(id)
      const end = session.subscribe(listener)
      return () => {
        end()
        session.close()
      }
    },
    [hub, id],
  )
  const getView = useCallback(() => hub.view(id), [hub, id])
  return useSyncExternalStore(subscribe, getView, getView)
}

/** Returns the list of the hub's sessions, the newest first. Throws an `Error` outside a `HubProvider`. */
export function useHubSessions(): readonly HubSessionSummary[] {
  const { sessions } = useHub()
  return useSyncExternalStore(sessions.subscribe, sessions.get, sessions.get)
}

/**
 * Returns the status of the hub's connection: while it is `lost`, the list
 * is that of before. Throws an `Error` outside a `HubProvider`.
 */
export function useHubStatus(): ConnectionStatus {
  const hub = useHub()
  const getStatus = () => hub.status
  return useSyncExternalStore(hub.subscribe, getStatus, getStatus)
}

/** Returns the function that answers an open request: `answer` of the hub. Throws an `Error` outside a `HubProvider`. */
export function useAnswer(): HubConnection['answer'] {
  return useHub().answer
}

/** Returns the function that sends a person's prompt to a session: `prompt` of the hub. Throws an `Error` outside a `HubProvider`. */
export function usePrompt(): HubConnection['prompt'] {
  return useHub().prompt
}

/**
 * Returns the parts of a form that sends prompts to a session: its field has `name="prompt"`. The words leave the field
 * when the program has taken them. Throws an `Error` outside a `HubProvider`.
 */
export function usePromptForm(sessionId: string): Pick<RequestForm, 'onSubmit' | 'isSending' | 'error'> {
  const prompt = usePrompt()
  // A second press may come before the page shows the first one. The form may be that of another session by then.
  const busy = useRef(new Set<string>())
  const shownId = useRef(sessionId)
  shownId.current = sessionId
  const [shown, show] = useState<ReadonlyMap<string, PromptSent>>(new Map())
  const send = async (form: HTMLFormElement): Promise<void> => {
    if (busy.current.has(sessionId)) return
    busy.current.add(sessionId)
    const showOwn = (own: PromptSent) => show((all) => new Map(all).set(sessionId, own))
    showOwn({ isSending: true, error: '' })
    const wordsNow = () => asString(formData(form).get('prompt')) ?? ''
    const words = wordsNow()
    const error = await prompt(sessionId, words).then(() => '', textOf)
    busy.current.delete(sessionId)
    // The person may write the next prompt meanwhile.
    const isOwn = shownId.current === sessionId
    if (isOwn && error === '' && wordsNow() === words && 'reset' in form && typeof form.reset === 'function')
      form.reset()
    showOwn({ isSending: false, error })
  }
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    void send(event.currentTarget)
  }
  return { ...(shown.get(sessionId) ?? { isSending: false, error: '' }), onSubmit }
}

type PromptSent = Pick<RequestForm, 'isSending' | 'error'>

function formData(form: HTMLFormElement): FormData {
  // The types of Node have no forms of a page.
  const FormOf: new (form: HTMLFormElement) => FormData = FormData
  return new FormOf(form)
}

function textOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason)
}

/** A field that the person fills in: choices, their own words, or both. */
export interface RequestField {
  /** The name of its inputs in the form. */
  readonly name: string
  readonly text: string
  /** The value of an input is the label. */
  readonly options: readonly RequestOption[]
  readonly type: 'checkbox' | 'radio'
}

/** The parts of a form that answers an open request of any kind. */
export interface RequestForm {
  /** The input of the call that waits, or else the facts of the program. */
  readonly input?: unknown
  /** A field for each question. The form of a tool server is one field, `content`, which takes JSON. */
  readonly fields: readonly RequestField[]
  /** The buttons that send the form: `name="answer"`, and the id as the `value`. */
  readonly buttons: readonly RequestOption[]
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void
  /** Keeps the form with the person's words if its request ends: call it when they change a field. */
  readonly onInput: () => void
  /** Whether an answer is on its way. Until it arrives or fails, `onSubmit` sends no other one. */
  readonly isSending: boolean
  /**
   * Why the last answer has not arrived, or how the request ended without it: then the one button closes the form. Empty
   * otherwise.
   */
  readonly error: string
}

/**
 * Returns the parts of a form that answers an open request of the session: permissions, questions with choices or with
 * the person's own words, forms of tool servers, and a refusal. Throws an `Error` outside a `HubProvider` or a
 * `SessionProvider`.
 */
export function useRequestForm(sessionId: string, request: PendingRequest): RequestForm {
  const { conversationId, block } = request
  const answer = useAnswer()
  const { kept } = useSessionContext()
  const now = useBlock(conversationId, block.id)
  const isOpen = now?.type === 'request' && now.status === 'pending'
  const [last, setForm] = useState<TouchedForm>()
  const isOwn =
    last && isSameRequest(last.request, request) && !(last.step === 'taken' && last.request.block !== block)
  const form = isOwn ? last : undefined
  const isSending = form !== undefined && form.step !== 'touched'
  const isOver = form?.step === 'touched' && !isOpen
  if (isOver && !form.hasEnded) setForm({ ...form, hasEnded: true })
  const touched = form?.step === 'taken' ? undefined : form?.request
  useEffect(() => touched && kept.keep(touched), [kept, touched])
  const sent = useRef<Request>(undefined)
  const input = useToolCall(conversationId, block.toolUseId ?? '')?.input ?? block.data
  const fields = fieldsOf(block)
  const send = async (filled: Filled): Promise<void> => {
    if (isOver) return setForm(undefined)
    // A second press may come before the page shows the first one.
    if (isSending || sent.current === block) return
    sent.current = block
    const own: TouchedForm = { request: { ...request }, step: 'sending' }
    const settle = (next: TouchedForm) => setForm((each) => (each === own ? next : each))
    setForm(own)
    try {
      await answer(sessionId, block.id, answerOf(block, fields, filled))
      settle({ ...own, step: 'taken' })
    } catch (reason) {
      sent.current = undefined
      settle({ ...own, step: 'touched', ...failureOf(reason) })
    }
  }
  const onInput = (): void => {
    if (isOpen && !form) setForm({ request: { ...request }, step: 'touched' })
  }
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const { nativeEvent, currentTarget } = event
    const pressed = 'submitter' in nativeEvent ? asString(asObject(nativeEvent.submitter).value) : undefined
    void send({ form: formData(currentTarget), choice: pressed ?? SEND.id })
  }
  const buttons = isOver ? [CLOSE] : buttonsOf(block)
  const error = form ? messageOf(form, block, isOver && now) : ''
  return { input, fields, buttons, onSubmit, onInput, isSending, error }
}

type Request = PendingRequest['block']

/** A form that the person has filled in or sent. */
interface TouchedForm {
  /** The request as they saw it. */
  readonly request: PendingRequest
  /** The program has taken the answer, or the answer is on its way. */
  readonly step: 'touched' | 'sending' | 'taken'
  /** Why the last answer has not arrived. */
  readonly error?: string
  /** Whether the request had ended before the last answer. */
  readonly isLate?: boolean
  /** Whether the request ended since then. */
  readonly hasEnded?: boolean
}

function failureOf(reason: unknown): Pick<TouchedForm, 'error' | 'isLate'> {
  return {
    error: textOf(reason),
    isLate: isObject(reason) && reason.code === 'not-pending',
  }
}

/** Says how the request of a form has ended, or why it waits for another answer. `end` is false for an open request. */
function messageOf(
  { request, error = '', isLate, hasEnded }: TouchedForm,
  block: Request,
  end: ConversationBlock | undefined | false,
): string {
  const failure = isLate ? '' : error
  if (end !== false) return `${outcomeOf(end)} ${failure}`.trim()
  // The next process may use the id for a request of its own.
  if (block.title !== request.block.title) return 'The program asks something else now.'
  // A request that opens again has another block.
  if (failure === '' && (hasEnded || (isLate && block !== request.block)))
    return 'The request is open again: answer it anew.'
  return error
}

function outcomeOf(block: ConversationBlock | undefined): string {
  const { answer, denied, options = [] } = block?.type === 'request' ? block : NO_ANSWER
  if (denied) return 'The request is refused.'
  if (answer === undefined) return 'The program waits for no answer any more.'
  const words = isString(answer)
    ? (options.find(({ id }) => id === answer)?.label ?? answer)
    : answer.flat().join(', ')
  return `The request is answered: ${words}.`
}

const NO_ANSWER: Partial<Request> = {}

const ALLOW: RequestOption = { id: 'allow', label: 'Allow' }
const REFUSE: RequestOption = { id: ':refuse', label: 'Refuse' }
const SEND: RequestOption = { id: ':send', label: 'Send' }
const CLOSE: RequestOption = { id: ':close', label: 'Close' }

function buttonsOf(request: Request): readonly RequestOption[] {
  const { kind, options = [] } = request
  if (kind === 'question') return [SEND, REFUSE]
  if (options.length === 0) return [ALLOW, REFUSE]
  return options.some(({ id }) => isRefusal(request, id)) ? options : [...options, REFUSE]
}

function fieldsOf({ kind, title, options = [], questions, data }: Request): readonly RequestField[] {
  if (kind === 'question') {
    const asked: readonly RequestQuestion[] = questions ?? [{ text: title, options }]
    return asked.map(({ text, options: choices, multiple }, at) => ({
      name: String(at),
      text,
      options: choices,
      type: multiple ? 'checkbox' : 'radio',
    }))
  }
  const { requestedSchema } = asObject(asObject(data).params)
  if (requestedSchema === undefined) return []
  return [{ name: 'content', text: JSON.stringify(requestedSchema), options: [], type: 'radio' }]
}

interface Filled {
  readonly form: FormData
  /** The id of the pressed button. */
  readonly choice: string
}

/** Throws a `SyntaxError` if the content of a form is no JSON, and a `RangeError` if a question has no answer. */
function answerOf(
  { kind }: Request,
  fields: readonly RequestField[],
  { form, choice }: Filled,
): PersonAnswer {
  if (choice === REFUSE.id) return { denied: true }
  const words = fields.map((field) => wordsIn(form, field))
  if (kind === 'question') {
    if (words.some(({ length }) => length === 0)) throw new RangeError('Answer each question.')
    return words
  }
  const [content] = words.flat()
  return content === undefined ? choice : { answer: choice, content: JSON.parse(content) }
}

/** The person's own words replace the choice of a question that takes one. */
function wordsIn(form: FormData, { name, options, type }: RequestField): readonly string[] {
  const words = form
    .getAll(name)
    .filter((word) => isString(word) && word !== '')
    .map(String)
  const own = words.filter((word) => options.every(({ label }) => label !== word))
  return type === 'radio' && own.length > 0 ? own : words
}

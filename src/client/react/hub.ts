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
import { isRefusal, type RequestOption, type RequestQuestion } from '../../core/state/request.ts'
import type { PersonAnswer } from '../../server/hub/answered-request.ts'
import type { HubSessionSummary } from '../../server/hub/session-summary.ts'
import type { HubConnection, SessionView } from '../connect/hub-connection.ts'
import type { ConnectionStatus } from '../connect/message-stream.ts'
import { useSessionContext } from './context.ts'
import { useToolCall } from './hooks.ts'

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
 * Follows a session of the hub while the component is shown, and returns its store with its status. Pass the store to
 * a `SessionProvider`. The component renders again when the status changes. Throws an `Error` outside a
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
  /**
   * Why the last answer has not arrived. Empty if it has. If somebody else was faster, or the request is withdrawn, the
   * one button closes the form.
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
  const [failure, setFailure] = useState(NO_FAILURE)
  const isOver = failure.over === block
  const sent = useRef<SentAnswer>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a form of another request has sent nothing
  useEffect(
    () => () => {
      if (sent.current) kept.release(sent.current.request)
      sent.current = undefined
    },
    [kept, conversationId, block.id],
  )
  const input = useToolCall(conversationId, block.toolUseId ?? '')?.input ?? block.data
  const fields = fieldsOf(block)
  const send = async (form: FormData, choice: string): Promise<void> => {
    const before = sent.current
    // The page may not show yet that the answer has closed the request.
    if (before?.isUnderWay || (before?.isTaken && before.request.block === block)) return
    if (isOver) {
      if (before) kept.release(before.request)
      return
    }
    setFailure(NO_FAILURE)
    const own: SentAnswer = { request: { ...request }, isUnderWay: true, isTaken: false }
    sent.current = own
    kept.keep(own.request, before?.request)
    try {
      await answer(sessionId, block.id, answerOf(block, fields, { form, choice }))
      own.isTaken = true
      kept.release(own.request)
    } catch (reason) {
      if (sent.current !== own) return
      const code = isObject(reason) ? reason.code : undefined
      const isGone = code === 'not-pending' || code === 'no-such-request' || code === 'no-such-session'
      const error = reason instanceof Error ? reason.message : String(reason)
      setFailure(isGone ? { error, over: block } : { error })
      // The page may hear of the failure before it has the closed request, and the one that is open again.
      kept.releaseWhenOpen(own.request, isGone || code === 'not-delivered')
    } finally {
      own.isUnderWay = false
    }
  }
  const onSubmit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const { nativeEvent, currentTarget } = event
    const pressed = 'submitter' in nativeEvent ? asString(asObject(nativeEvent.submitter).value) : undefined
    // The types of Node have no forms of a page.
    const FormOf: new (form: HTMLFormElement) => FormData = FormData
    void send(new FormOf(currentTarget), pressed ?? SEND.id)
  }
  const error = failure.over && !isOver ? '' : failure.error
  return { input, fields, buttons: isOver ? [CLOSE] : buttonsOf(block), onSubmit, error }
}

type Request = PendingRequest['block']

/** The last answer that a form has sent. */
interface SentAnswer {
  readonly request: PendingRequest
  isUnderWay: boolean
  isTaken: boolean
}

/** Why the last answer has not arrived. */
interface Failure {
  readonly error: string
  /** The request that takes no answer any more. If it opens again, it has another block. */
  readonly over?: Request
}

const ALLOW: RequestOption = { id: 'allow', label: 'Allow' }
const REFUSE: RequestOption = { id: ':refuse', label: 'Refuse' }
const SEND: RequestOption = { id: ':send', label: 'Send' }
const CLOSE: RequestOption = { id: ':close', label: 'Close' }

const NO_FAILURE: Failure = { error: '' }

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

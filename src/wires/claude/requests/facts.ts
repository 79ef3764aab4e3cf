import { asString, type JsonObject } from '../../../core/json/values.ts'
import { relativePath } from '../../../core/state/file-path.ts'
import type { RequestFacts, RequestOption } from '../../../core/state/request.ts'
import { permissionTitle, questionFacts, readQuestions } from '../../kit/requests.ts'

/** The tool that asks the person questions. */
export const ASK_USER_QUESTION = 'AskUserQuestion'

/** The call that a request is about. */
export interface RequestedCall {
  readonly toolName: string
  readonly input: JsonObject
}

/** The program's own words for the person. A file does not have them. */
interface DisplayWords {
  readonly displayName?: string | undefined
  readonly description?: string | undefined
  /** The session's folder. A path below it is shown without the folder. */
  readonly cwd?: string | undefined
}

/** Returns what a request for a call asks of the person: questions, or whether the tool may run. */
export function requestFacts({ toolName, input }: RequestedCall, words: DisplayWords): RequestFacts {
  const { displayName = toolName, description = subjectOf(input, words.cwd) } = words
  if (toolName === ASK_USER_QUESTION)
    return questionFacts(readQuestions(input.questions), { fallbackTitle: displayName })
  return { kind: 'permission', title: permissionTitle(displayName, description), options: PERMISSION_OPTIONS }
}

const PERMISSION_OPTIONS: readonly RequestOption[] = [
  { id: 'allow', label: 'Allow' },
  { id: 'deny', label: 'Deny' },
]

/** The fields of an input that say best what a call is about. */
const SUBJECTS = ['description', 'file_path', 'notebook_path', 'command', 'url', 'query']

function subjectOf(input: JsonObject, cwd: string | undefined): string | undefined {
  const subject = SUBJECTS.map((name) => asString(input[name])).find((text) => text !== undefined)
  return subject && relativePath(subject, cwd)
}

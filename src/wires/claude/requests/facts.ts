import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asArray, asObject, asString, type JsonObject } from '../../../json/values.ts'
import { labelOption, permissionTitle, questionFacts } from '../../../session/requests.ts'
import type { RequestFacts, RequestOption, RequestQuestion } from '../../../state/request.ts'

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
    return questionFacts(readQuestions(input), { fallbackTitle: displayName })
  return { kind: 'permission', title: permissionTitle(displayName, description), options: PERMISSION_OPTIONS }
}

const PERMISSION_OPTIONS: readonly RequestOption[] = [
  { id: 'allow', label: 'Allow' },
  { id: 'deny', label: 'Deny' },
]

function readQuestions({ questions }: JsonObject): readonly RequestQuestion[] {
  return asArray(questions).map((each) => {
    const { question, options, multiSelect } = asObject(each)
    const multiple = multiSelect === true ? true : undefined
    return omitUndefined({
      text: asString(question) ?? '',
      options: asArray(options).map(readOption),
      multiple,
    })
  })
}

/** Some versions write an option as its label alone. */
function readOption(option: unknown): RequestOption {
  const { label = option, description } = asObject(option)
  return labelOption(asString(label) ?? '', description)
}

/** The fields of an input that say best what a call is about. */
const SUBJECTS = ['description', 'file_path', 'notebook_path', 'command', 'url', 'query']

function subjectOf(input: JsonObject, cwd: string | undefined): string | undefined {
  const subject = SUBJECTS.map((name) => asString(input[name])).find((text) => text !== undefined)
  return cwd !== undefined && subject?.startsWith(`${cwd}/`) ? subject.slice(cwd.length + 1) : subject
}

import { omitUndefined } from '../json/omit-undefined.ts'
import { asArray, asObject, asString, isString } from '../json/values.ts'
import type { RequestFacts, RequestOption, RequestQuestion } from '../state/request.ts'

/** Returns the id of a request that only its call shows. A live program gives a request an id of its own. */
export function requestBlockId(toolUseId: string): string {
  return `${toolUseId}:request`
}

/** Returns the title of a permission: the name of the tool or permission, and its subject, such as a path. */
export function permissionTitle(name: string, subject: string | undefined): string {
  return subject === undefined ? name : `${name}: ${subject}`
}

/** Returns the facts of a request with these questions. Without any question, the fallback is the title. */
export function questionFacts(
  questions: readonly RequestQuestion[],
  { fallbackTitle }: { readonly fallbackTitle: string },
): RequestFacts {
  const [first, ...others] = questions
  const options = others.length === 0 ? first?.options : undefined
  return omitUndefined({ kind: 'question', title: first?.text ?? fallbackTitle, options, questions })
}

/** Reads the options of a question. Those without a label are left out. */
export function labelOptions(options: unknown): readonly RequestOption[] {
  return asArray(options).flatMap((option) => {
    const { label, description } = asObject(option)
    return isString(label) ? [labelOption(label, description)] : []
  })
}

/** Returns the option of a question. Programs take the label as the answer. */
export function labelOption(label: string, description: unknown): RequestOption {
  return omitUndefined({ id: label, label, description: asString(description) })
}

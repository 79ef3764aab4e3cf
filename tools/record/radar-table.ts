import type { CheckedForm } from './check.ts'
import type { ShapeChanges } from './shape.ts'

/** How a program did in a scenario: its forms, or the reason why there are none. */
export type Outcome = { readonly forms: readonly CheckedForm[] } | { readonly reason: string }

/** The results of a program. */
export interface ProgramReport {
  readonly name: string
  readonly version: string
  readonly outcomes: readonly (readonly [scenario: string, outcome: Outcome])[]
  readonly changes?: ShapeChanges
}

/** Returns the table of programs and scenarios in Markdown, with the first fault of each form, the reasons and the changes. */
export function radarTable(reports: readonly ProgramReport[], scenarios: readonly string[]): string {
  const head = ['program', ...scenarios]
  const rows = reports.map(({ name, version, outcomes }) => [
    `${name} ${version}`,
    ...scenarios.map((scenario) => cellOf(outcomes.find(([each]) => each === scenario)?.[1])),
  ])
  const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return [...table, '', ...reports.flatMap(notesOf)].join('\n')
}

/** A cell has the names of the forms: `store` alone is right. */
function cellOf(outcome: Outcome | undefined): string {
  if (!outcome || 'reason' in outcome || outcome.forms.length === 0) return '–'
  return outcome.forms
    .map(({ form, faults }) => (faults.length === 0 ? form : `**${form} wrong**`))
    .join(', ')
}

function notesOf({ name, outcomes, changes }: ProgramReport): readonly string[] {
  const faults = outcomes.flatMap(([scenario, outcome]) =>
    'forms' in outcome
      ? outcome.forms.flatMap(({ form, faults: [first] }) =>
          first ? [`${scenario}, ${form}: ${first.slice(0, 300)}`] : [],
        )
      : [`${scenario}: – (${outcome.reason})`],
  )
  const { newKinds = [], goneKinds = [], newFields = [], goneFields = [] } = changes ?? {}
  const named = (word: string, all: readonly string[]) => all.map((each) => `${word} ${each}`)
  return [
    ...faults,
    ...named('new kind of line:', newKinds),
    ...named('kind of line is gone:', goneKinds),
    ...named('new field:', newFields),
    ...named('field is gone:', goneFields),
  ].map((line) => `- ${name}: ${line}`)
}

/** Whether a form is wrong or a format has changed. */
export function hasNews({ outcomes, changes }: ProgramReport): boolean {
  const isWrong = outcomes.some(
    ([, outcome]) => 'forms' in outcome && outcome.forms.some(({ faults }) => faults.length > 0),
  )
  return isWrong || (changes !== undefined && Object.values(changes).some((all) => all.length > 0))
}

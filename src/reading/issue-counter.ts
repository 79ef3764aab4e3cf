/** Collects issues in order. It merges repeated issues into one with a `count`. */
export class IssueCounter<Issue extends { readonly count?: number }> {
  readonly #issues = new Map<string, Issue>()
  readonly #keyOf: (issue: Issue) => unknown

  /** Issues with the same key count as repeated. */
  constructor(keyOf: (issue: Issue) => unknown) {
    this.#keyOf = keyOf
  }

  add(issue: Issue): void {
    const key = JSON.stringify(this.#keyOf(issue))
    const first = this.#issues.get(key)
    this.#issues.set(key, first ? { ...first, count: (first.count ?? 1) + (issue.count ?? 1) } : issue)
  }

  get issues(): readonly Issue[] {
    return [...this.#issues.values()]
  }
}

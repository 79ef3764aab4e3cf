import bash from 'highlight.js/lib/languages/bash'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'

type Root = ReturnType<ReturnType<typeof createLowlight>['highlight']>

const lowlight = createLowlight({
  ...{ bash, css, diff, go, java, javascript, json },
  ...{ python, rust, sql, typescript, xml, yaml },
})
lowlight.registerAlias({ bash: ['shell', 'console'], typescript: ['tsx', 'mts', 'cts'], javascript: ['jsx'] })

/** Longer texts stay without colours, because the search for their parts takes too long. In UTF-16 units. */
const LONGEST = 50_000

/** Returns the parts of the code as a tree of HTML; undefined for an unknown language. */
export function highlight(text: string, language: string | undefined): Root | undefined {
  if (language === undefined || text.length > LONGEST || !lowlight.registered(language)) return undefined
  return lowlight.highlight(language, text)
}

/** Returns the language of a file by the end of its path. */
export function languageOf(path: string): string | undefined {
  return /\.(\w+)$/.exec(path)?.[1]?.toLowerCase()
}

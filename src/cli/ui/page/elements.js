/**
 * The elements of the page: found, made, and kept for as long as what they show, so that the focus stays.
 *
 * @typedef {import('../row.ts').Row} Row
 */

/** @param {string} id */
export const byId = (id) => {
  const found = document.getElementById(id)
  if (!found) throw new Error(id)
  return found
}

/**
 * @template {Element} T
 * @param {string} id
 * @param {new () => T} type
 */
export const as = (id, type) => {
  const found = byId(id)
  if (!(found instanceof type)) throw new Error(id)
  return found
}

/**
 * Makes the children those of the rows. Those that stay are not moved.
 *
 * @param {HTMLElement} parent
 * @param {readonly Row[]} rows
 * @param {(row: Row) => HTMLElement} make
 */
export function sync(parent, rows, make) {
  const wanted = new Map(rows.map((row) => [row.key, row]))
  for (const child of [...parent.children]) {
    if (!(child instanceof HTMLElement) || wanted.has(child.dataset['key'] ?? '')) continue
    const focused = child.contains(document.activeElement)
    const next = child.nextElementSibling ?? child.previousElementSibling
    child.remove()
    if (!focused) continue
    const other = next?.querySelector('a, button')
    if (other instanceof HTMLElement) other.focus()
    else byId('title').focus()
  }
  let place = parent.firstElementChild
  for (const row of rows) {
    const same = place instanceof HTMLElement && place.dataset['key'] === row.key
    const text = JSON.stringify(row)
    const child = same && place instanceof HTMLElement ? place : make(row)
    if (!same) parent.insertBefore(child, place)
    else if (child.dataset['row'] !== text) fill(child, make(row))
    child.dataset['key'] = row.key
    child.dataset['row'] = text
    place = child.nextElementSibling
  }
}

/**
 * Gives an element the content of another one, and keeps what has the focus.
 *
 * @param {Element} old
 * @param {Element} fresh
 */
function fill(old, fresh) {
  if (old.tagName !== fresh.tagName || old.children.length !== fresh.children.length)
    return old.replaceWith(fresh)
  for (const { name, value } of fresh.attributes)
    if (old.getAttribute(name) !== value && name !== 'style') old.setAttribute(name, value)
  if (fresh.children.length === 0) {
    if (old.textContent !== fresh.textContent) old.textContent = fresh.textContent
    return
  }
  const pairs = [...old.children].map((child, index) => /** @type {const} */ ([child, fresh.children[index]]))
  for (const [child, other] of pairs) if (other) fill(child, other)
}

/**
 * @param {string} tag
 * @param {string} className
 * @param {string | readonly Node[]} content
 * @param {Readonly<Record<string, string>>} attributes
 */
export function element(tag, className, content, attributes = {}) {
  const made = document.createElement(tag)
  made.className = className
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  if (typeof content === 'string') made.textContent = content
  else made.append(...content)
  return made
}

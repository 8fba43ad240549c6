/** The mark, and the few signs that the page has. All of them stand beside words, so a reader of a screen skips them. */
import type { ComponentChildren } from 'preact'

function Icon({ children, name }: { children: ComponentChildren; name: string }) {
  return (
    <svg class={`icon ${name}`} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      {children}
    </svg>
  )
}

/** A lock whose body is the holdfast of a kelp: what grips the rock. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect class="mark-ground" width="32" height="32" rx="8" />
      <path d="M11 14v-3a5 5 0 0 1 10 0v3" />
      <path d="M7.5 15.5h17" />
      <path d="M16 15.5v9M10.5 15.5v3.2c0 2.4-1.2 3.8-3 4.8M21.5 15.5v3.2c0 2.4 1.2 3.8 3 4.8" />
    </svg>
  )
}

export const SearchIcon = () => (
  <Icon name="search">
    <circle cx="9" cy="9" r="5.5" />
    <path d="m13 13 4 4" />
  </Icon>
)
export const WarningIcon = () => (
  <Icon name="warning">
    <path d="M10 3 18 17H2Z" />
    <path d="M10 8v4M10 14.4v.1" />
  </Icon>
)
export const DoneIcon = () => (
  <Icon name="done">
    <circle cx="10" cy="10" r="7.5" />
    <path d="m6.5 10.2 2.4 2.4 4.6-5" />
  </Icon>
)
export const BackIcon = () => (
  <Icon name="back">
    <path d="m12 4-6 6 6 6" />
  </Icon>
)
export const NextIcon = () => (
  <Icon name="next">
    <path d="m8 4 6 6-6 6" />
  </Icon>
)
export const KeyIcon = () => (
  <Icon name="key">
    <circle cx="6.5" cy="13.5" r="3.5" />
    <path d="m9 11 7.5-7.5M13 7l2.5 2.5" />
  </Icon>
)
const rays =
  'M10 2v2M10 16v2M2 10h2M16 10h2M4.3 4.3l1.5 1.5M14.2 14.2l1.5 1.5M15.7 4.3l-1.5 1.5M5.8 14.2l-1.5 1.5'
export const SunIcon = () => (
  <Icon name="sun">
    <circle cx="10" cy="10" r="3.5" />
    <path d={rays} />
  </Icon>
)
/** Half light, half dark. */
export const HalfIcon = () => (
  <Icon name="half">
    <circle cx="10" cy="10" r="7" />
    <path class="filled" d="M10 3a7 7 0 0 0 0 14Z" />
  </Icon>
)
export const MoonIcon = () => (
  <Icon name="moon">
    <path d="M16.5 12A7 7 0 0 1 8 3.5a7 7 0 1 0 8.5 8.5Z" />
  </Icon>
)

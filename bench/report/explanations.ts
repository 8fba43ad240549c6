import type { Kind } from '../drivers/order.js'

export const waysExplained = [
  'A cell is one library in one scenario. The harness starts new processes for each cell. They warm up on other keys first (Node until a section costs',
  'no less than before, the JVM until its compiler is quiet), and then all begin at the same moment. The order of libraries changes from round to round. Figures are medians over the rounds; of broken exclusion, of',
  'waiters that starved or gave up and of the worst wait it is the most seen in any round; ratios are the medians of the ratios within each',
  'round. Where a row says "1 round", the others were spared because it costs minutes and is not close.',
  '',
  'While cells run, a process of idle priority on each core keeps it awake: to wake a sleeping core of a virtual machine takes as long as',
  'a round trip, and would come and go by chance. There are none beside servers that wait for the disk, which they would delay, and with Linux’s autogroup.',
  '',
  'All libraries run at their defaults, except that they are told to wait for as long as it takes where they would give up; a burst',
  'that has not ended after 20 s (6 s for the libraries that sleep longest) is cut off, and the row says how many were not served.',
  'A library that fails or cannot do a scenario has a row that says so.',
].join('\n')

export const columnsExplained = [
  '- *sections/s*: critical sections entered per second, all processes together. Of a burst that was cut off: those served, over its time.',
  '- *hand-over*: from the last statement of one section to the first of the next, whoever has it. *between processes*: those of them where that is',
  '  another process.',
  '- *commands per section*: what clients sent, counted in the client for Node, by the server elsewhere; not what scripts call.',
  "- *Jain's index*: fairness over all waiters of all processes; 1 when each got the same, 1/n when one got everything.",
  '- *starved*: waiters that got nothing. *worst wait*: one still going on at the end counts as long as it had lasted.',
  '- *CPU per section*: user and system time of all client processes, and of the server. What goes on while nobody works',
  '  (the JVM compiling, collecting) is in it.',
  '- *exclusion broken*: a section began while another was going on.',
].join('\n')

export const meanings: Readonly<Record<Kind, string>> = {
  fresh:
    'As above, with a name that was never used before in each section: no process keeps a lock by habit.',
  sequential:
    'One task takes and gives back a lock that nobody else wants, over and over, with nothing in between. Two round trips is the least; PING shows one.',
  keys: 'Each of 64 tasks of one process has a lock of its own. Round trips overlap, so this is bound by CPU: the cost of the client library and the script.',
  nested:
    'Three holds of one lock within each other, then given back. Only libraries with reentry can do it.',
  burst: 'All waiters ask at one moment, each once. Over when the last is through.',
  loop: 'Each waiter asks again at once after each section, for a bit more than a second. Under a polling library the waiter that has just released asks first, so the throughput may be that of one hog: read it together with fairness.',
}

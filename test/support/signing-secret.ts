/** What the tests' ingresses and workers sign and seal with. */
export const signingSecret = 'a signing secret of the tests alone'

/** How the worker names itself, for robots.txt and for those who read their logs. */
export const USER_AGENT = 'Pressroom';

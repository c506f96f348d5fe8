/** Why a test that needs nginx is left out, and what to do about it. */
export const NO_NGINX = 'needs nginx, and there is none on the PATH: apt-get install nginx-light';

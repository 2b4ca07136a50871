# Debian, as debootstrap has installed it.
FROM scratch
ADD rootfs /
CMD ["/bin/sh"]
